// deepprof info FILE: what a trace holds.
#include <algorithm>
#include <array>
#include <set>

#include "analysis/breakdown/account.h"
#include "analysis/cli/command.h"
#include "analysis/cli/input.h"
#include "analysis/cli/output_options.h"
#include "analysis/import/message.h"

namespace deepprof {
namespace {

Table process_table(const Trace& trace, const std::string& path) {
  Table table;
  table.name = "trace";
  table.columns = {{"key", Unit::none, ""}, {"value", Unit::none, ""}};
  const auto add = [&](const std::string& key, const std::string& value) {
    if (!value.empty()) table.rows.push_back({key, value});
  };
  const ProcessInfo& process = trace.process;
  add("file", path);
  add("recorded_by", process.source);
  add("host", process.host);
  if (process.pid != 0) add("pid", std::to_string(process.pid));
  add("command_line", process.command_line);
  if (process.rank >= 0) add("rank", std::to_string(process.rank));
  if (process.world_size >= 0) add("world_size", std::to_string(process.world_size));
  if (trace.clock_base_ns != 0) add("clock_base_ns", std::to_string(trace.clock_base_ns));
  for (const auto& [key, value] : process.facts) add(key, value);
  return table;
}

Table event_table(const Trace& trace) {
  Table table;
  table.name = "events";
  table.title = "EVENTS";
  table.columns = {{"kind", Unit::none, ""}, {"events", Unit::count, ""}};
  std::array<int64_t, 256> count{};
  for (const Op& op : trace.ops) ++count[static_cast<size_t>(op.kind)];
  for (const HostCall& call : trace.calls) ++count[static_cast<size_t>(call.kind)];
  count[static_cast<size_t>(Kind::overhead)] = static_cast<int64_t>(trace.overheads.size());
  count[static_cast<size_t>(Kind::allocation)] = static_cast<int64_t>(trace.allocations.size());
  for (const KindInfo& kind : kinds()) {
    if (kind.kind != Kind::none)
      table.rows.push_back({std::string(kind.name), count[static_cast<size_t>(kind.kind)]});
  }
  constexpr const char* kSources[] = {"annotation", "nvtx_range", "framework_op", "python_function",
                                      "marked_step"};
  std::array<int64_t, std::size(kSources)> ranges{};
  for (const Range& range : trace.ranges) ++ranges[static_cast<size_t>(range.source)];
  for (size_t i = 0; i < ranges.size(); ++i)
    table.rows.push_back({std::string(kSources[i]), ranges[i]});
  table.rows.push_back({std::string("sample"), static_cast<int64_t>(trace.samples.size())});
  for (const LossInfo& loss : losses()) {
    if (trace.losses[loss.loss] != 0)
      table.notes.push_back(
          concat(trace.losses[loss.loss], " ", loss.words(trace.losses[loss.loss])));
  }
  return table;
}

Table device_table(const Trace& trace) {
  Table table;
  table.name = "devices";
  table.title = "DEVICES";
  table.columns = {{"device", Unit::none, ""},
                   {"ops", Unit::count, ""},
                   {"streams", Unit::count, ""},
                   {"start_ns", Unit::none, "first op"},
                   {"span_ns", Unit::nanoseconds, "span"},
                   {"sm_count", Unit::count, "SMs"},
                   {"memory_bytes", Unit::bytes, "memory"},
                   {"name", Unit::none, ""}};
  const std::vector<std::vector<uint32_t>> ops_of = ops_by_device(trace);
  for (size_t id = 0; id < ops_of.size(); ++id) {
    if (ops_of[id].empty()) continue;
    std::set<uint32_t> streams;
    for (const uint32_t index : ops_of[id]) streams.insert(trace.ops[index].stream);
    const Window span = span_of(trace, ops_of[id]);
    const auto known = std::find_if(trace.devices.begin(), trace.devices.end(),
                                    [&](const Device& d) { return d.id == id; });
    const bool has = known != trace.devices.end();
    const auto figure = [&](uint64_t value) -> Cell {
      if (value == 0) return NotAvailable{"not recorded in this trace"};
      return static_cast<int64_t>(value);
    };
    table.rows.push_back({static_cast<int64_t>(id), static_cast<int64_t>(ops_of[id].size()),
                          static_cast<int64_t>(streams.size()), span.start_ns,
                          span.end_ns - span.start_ns, figure(has ? known->sm_count : 0),
                          figure(has ? known->memory_bytes : 0),
                          has ? known->name : std::string()});
  }
  return table;
}

class InfoCommand final : public Command {
 public:
  const char* name() const override { return "info"; }
  const char* about() const override {
    return "Say what a trace holds: process, devices, events, losses";
  }
  const char* examples() const override {
    return "  deepprof info train.dprof\n"
           "  deepprof info trace.json.gz --format json";
  }
  void add_options(CLI::App& app) override {
    input_.add_to(app);
    output_.add_to(app);
  }
  absl::StatusOr<ExitCode> run(Console& console) override {
    auto trace = input_.load(console);
    if (!trace.ok()) return trace.status();
    absl::Status printed = output_.print(
        {process_table(*trace, input_.path()), device_table(*trace), event_table(*trace)}, console);
    if (!printed.ok()) return printed;
    return ExitCode::ok;
  }

 private:
  InputArgument input_;
  OutputOptions output_;
};

}  // namespace

std::unique_ptr<Command> make_info_command() { return std::make_unique<InfoCommand>(); }

}  // namespace deepprof
