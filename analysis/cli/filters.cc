#include "analysis/cli/filters.h"

#include <algorithm>
#include <set>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/cli/value_checks.h"
#include "analysis/cli/words.h"
#include "analysis/device/sample_index.h"
#include "analysis/import/decimal.h"
#include "analysis/import/message.h"
#include "analysis/report/quantity.h"
#include "analysis/report/time_origin.h"

namespace deepprof {
namespace {

bool holds(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The first of many ids, for a message.
std::string listed(const std::set<int64_t>& ids) {
  constexpr size_t kMost = 12;
  std::string text;
  size_t named = 0;
  for (const int64_t id : ids) {
    if (++named > kMost) return concat(text, " and ", ids.size() - kMost, " more");
    text += (text.empty() ? "" : ", ") + std::to_string(id);
  }
  return text;
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Of the trace's clock: when the first thing in it happened.
int64_t first_instant(const Trace& trace) {
  int64_t first_ns = time_origin(trace).time_ns;
  for (const HostCall& call : trace.calls) first_ns = std::min(first_ns, call.start_ns);
  for (const Range& range : trace.ranges) first_ns = std::min(first_ns, range.start_ns);
  for (const Sample& sample : trace.samples) first_ns = std::min(first_ns, sample.time_ns);
  for (const Allocation& step : trace.allocations) first_ns = std::min(first_ns, step.time_ns);
  return first_ns;
}

// "1.5s", "200ms", "7us", "9ns": after the first GPU op. A bare integer: the trace's own clock.
absl::StatusOr<int64_t> time_of(const std::string& option, const std::string& text,
                                const Trace& trace) {
  constexpr struct {
    std::string_view suffix;
    int digits;
  } kUnits[] = {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}};
  const int64_t origin = time_origin(trace).time_ns;
  if (all_digits(text)) {
    const auto time = integer_of(text);
    // Who writes 1 hardly means the trace's clock, and would get the whole run.
    if (time && *time < first_instant(trace))
      return bad_input(option, " ", text, ": nanoseconds of the trace's clock, which begins at ",
                       first_instant(trace), "; for a time after the first GPU op add a unit (",
                       text, "s, ", text, "ms)");
    if (time) return *time;
  }
  for (const auto& unit : kUnits) {
    if (text.size() <= unit.suffix.size() || !text.ends_with(unit.suffix)) continue;
    const std::string_view number =
        std::string_view(text).substr(0, text.size() - unit.suffix.size());
    if (number.find_first_not_of("0123456789.") != std::string_view::npos) continue;
    if (const auto time = decimal_shifted(number, unit.digits)) return origin + *time;
  }
  return bad_input(option, " ", text,
                   ": expected a time such as 1.5s or 200ms after the first GPU op, or "
                   "nanoseconds of the trace's clock");
}

}  // namespace

void Filters::add_to(CLI::App& app) {
  const auto add = [&](const char* names, auto& value, const char* about, const char* text) {
    return app.add_option(names, value, about)->option_text(text)->group("Filters");
  };
  add("--device", device_, "only this device", "N")->check(whole_number());
  add("--iter", iterations_, "only these iterations (as numbered by `deepprof iterations`)", "A-B");
  add("--section", section_, "only iterations of this section: training, evaluation, ...", "NAME");
  add("--stream", stream_, "only this stream: idle is where nothing runs on it", "N")
      ->check(whole_number());
  add("--rank", rank_, "only this rank", "N")->check(whole_number());
  add("--from", from_,
      "from this time on: 1.5s, 200ms after the first GPU op, or ns of the trace's clock", "TIME");
  if (app.get_option_no_throw("--to") != nullptr) {
    until_option_ = "--until";
    add("--until", to_, "up to this time (of other verbs also --to, which names the format here)",
        "TIME");
  } else {
    add("--to,--until", to_, "up to this time", "TIME");
  }
}

absl::Status Filters::resolve(const Trace& trace, const Mined& mined) {
  if (absl::Status words = resolve_words(); !words.ok()) return words;
  if (absl::Status times = resolve_times(trace); !times.ok()) return times;
  // A trace without ops is its own answer.
  if (trace.ops.empty() && trace.allocations.empty()) return absl::OkStatus();
  return check_held(trace, mined);
}

absl::Status Filters::resolve_words() {
  if (!iterations_.empty()) {
    const size_t dash = iterations_.find('-');
    const std::string first = iterations_.substr(0, dash);
    const std::string last = dash == std::string::npos ? first : iterations_.substr(dash + 1);
    first_iteration_ = all_digits(first) ? integer_of(first) : std::nullopt;
    last_iteration_ = all_digits(last) ? integer_of(last) : std::nullopt;
    if (!first_iteration_ || !last_iteration_ || *first_iteration_ > *last_iteration_) {
      return bad_input("--iter ", iterations_, ": expected an iteration or a range such as 10-12");
    }
  }
  std::vector<std::string> sections;
  for (int kind = 0; kind <= static_cast<int>(SectionKind::irregular); ++kind)
    sections.emplace_back(section_name(static_cast<SectionKind>(kind)));
  if (!section_.empty() && !holds(sections, section_))
    return bad_input(unknown_word("--section: no section is called", section_, sections));
  return absl::OkStatus();
}

absl::Status Filters::resolve_times(const Trace& trace) {
  const auto resolve_time = [&](const char* option, const std::string& text,
                                std::optional<int64_t>& out) {
    if (text.empty()) return absl::OkStatus();
    auto time = time_of(option, text, trace);
    if (time.ok()) out = *time;
    return time.status();
  };
  if (absl::Status from = resolve_time("--from", from_, from_ns_); !from.ok()) return from;
  if (absl::Status to = resolve_time(until_option_, to_, to_ns_); !to.ok()) return to;
  if (from_ns_ && to_ns_ && *from_ns_ >= *to_ns_)
    return bad_input("--from ", from_, " ", until_option_, " ", to_,
                     ": the end does not lie behind the beginning");
  return absl::OkStatus();
}

absl::Status Filters::check_held(const Trace& trace, const Mined& mined) const {
  std::set<int64_t> devices, streams;
  Window span{INT64_MAX, INT64_MIN};
  for (const Op& op : trace.ops) {
    devices.insert(op.device);
    if (device_ && *device_ != op.device) continue;
    streams.insert(op.stream);
    span = {std::min(span.start_ns, op.start_ns), std::max(span.end_ns, op.end_ns())};
  }
  for (const Allocation& step : trace.allocations) {
    if (step.device != Allocation::kHost) devices.insert(step.device);
    span = {std::min(span.start_ns, step.time_ns), std::max(span.end_ns, step.time_ns + 1)};
  }
  for (const uint32_t gpu : SampleIndex(trace).gpus()) devices.insert(gpu);
  if (device_ && !devices.contains(*device_))
    return bad_input("--device ", *device_, ": the trace has no such device; there are ",
                     listed(devices));
  if (stream_ && !trace.ops.empty() && !streams.contains(*stream_))
    return bad_input("--stream ", *stream_, ": the trace has no such stream; there are ",
                     listed(streams));
  if ((from_ns_ && *from_ns_ >= span.end_ns) || (to_ns_ && *to_ns_ <= span.start_ns)) {
    return bad_input(
        from_ns_ && *from_ns_ >= span.end_ns ? "--from " + from_ : until_option_ + (" " + to_),
        ": the run lasts ", time_text(span.end_ns - time_origin(trace).time_ns),
        trace.ops.empty() ? "" : " from its first GPU op on");
  }
  return trace.ops.empty() ? absl::OkStatus() : check_iterations(mined);
}

absl::Status Filters::check_iterations(const Mined& mined) const {
  if (!by_iteration()) return absl::OkStatus();
  const char* option = first_iteration_ ? "--iter " : "--section ";
  const std::string& word = first_iteration_ ? iterations_ : section_;
  size_t kept = 0;
  const DeviceMined* most = nullptr;
  std::vector<std::string> sections;
  for (const DeviceMined& device : mined.devices) {
    if (device_ && *device_ != device.device) continue;
    if (most == nullptr || device.iterations.size() > most->iterations.size()) most = &device;
    for (const Section& section : device.sections) {
      const std::string name = section_name(section.kind);
      if (section.iterations > 0 && !holds(sections, name)) sections.push_back(name);
    }
    for (size_t i = 0; i < device.iterations.size(); ++i) kept += keeps_iteration(device, i);
  }
  if (kept > 0) return absl::OkStatus();
  if (most == nullptr || most->iterations.empty())
    return bad_input(option, word, ": no iteration structure found in this trace");
  const auto in_range = [&](const Iteration& iteration) {
    return iteration.number >= *first_iteration_ && iteration.number <= *last_iteration_;
  };
  if (first_iteration_ && std::none_of(most->iterations.begin(), most->iterations.end(), in_range))
    return bad_input(option, word, ": the trace has ", most->numbers_text());
  if (!first_iteration_)
    return bad_input(option, word, ": no iteration is in such a section; there are ",
                     joined(sections));
  return bad_input(option, word, " --section ", section_, ": no iteration is both");
}

absl::Status Filters::check_rank(const std::vector<int>& known) const {
  std::set<int64_t> ranks(known.begin(), known.end());
  ranks.erase(-1);
  if (!rank_ || ranks.contains(*rank_)) return absl::OkStatus();
  if (ranks.empty()) return bad_input("--rank ", *rank_, ": the trace is of a job without ranks");
  return bad_input("--rank ", *rank_, ": the trace is of rank ", listed(ranks));
}

View Filters::view(bool iterations) const {
  View view;
  if (device_) view.device = static_cast<uint16_t>(*device_);
  if (stream_) view.stream = static_cast<uint32_t>(*stream_);
  if (by_time()) view.within = Window{from_ns_.value_or(INT64_MIN), to_ns_.value_or(INT64_MAX)};
  if (iterations && by_iteration()) {
    view.counts = [this](const DeviceMined& mined, size_t index) {
      return keeps_iteration(mined, index);
    };
  }
  return view;
}

absl::StatusOr<std::optional<int64_t>> Filters::one_iteration() const {
  if (first_iteration_ != last_iteration_)
    return bad_input("--iter ", iterations_, ": one iteration is shown, expected its number");
  return first_iteration_;
}

bool Filters::any() const { return device_ || stream_ || from_ns_ || to_ns_ || by_iteration(); }

bool Filters::keeps_op(const Op& op) const {
  if (device_ && *device_ != op.device) return false;
  if (stream_ && *stream_ != op.stream) return false;
  if (from_ns_ && op.end_ns() <= *from_ns_) return false;
  return !to_ns_ || op.start_ns < *to_ns_;
}

bool Filters::keeps_iteration(const DeviceMined& mined, size_t index) const {
  const Iteration& iteration = mined.iterations[index];
  const int64_t number = iteration.number;
  if (first_iteration_ && (number < *first_iteration_ || number > *last_iteration_)) return false;
  return section_.empty() || section_name(mined.sections[iteration.section].kind) == section_;
}

bool Filters::keeps_row(const Table& table, const std::vector<Cell>& row) const {
  for (size_t c = 0; c < table.columns.size() && c < row.size(); ++c) {
    const std::string& name = table.columns[c].name;
    if (const auto* number = std::get_if<int64_t>(&row[c])) {
      if (name == "device" && device_ && *number != *device_) return false;
      if (name == "stream" && stream_ && *number != *stream_) return false;
      if (name == "rank" && rank_ && *number != *rank_) return false;
      if (name == "iteration" && first_iteration_ &&
          (*number < *first_iteration_ || *number > *last_iteration_)) {
        return false;
      }
      if (name == "start_ns" && to_ns_ && *number >= *to_ns_) return false;
      if (name == "end_ns" && from_ns_ && *number <= *from_ns_) return false;
    } else if (name == "iteration" && std::holds_alternative<NotAvailable>(row[c])) {
      if (first_iteration_) return false;
    } else if (const auto* text = std::get_if<std::string>(&row[c])) {
      if (name == "section" && !section_.empty() && *text != section_) return false;
    }
  }
  return true;
}

void Filters::keep_rows(Table& table) const {
  if (!any() && !rank_) return;
  std::erase_if(table.rows, [&](const std::vector<Cell>& row) { return !keeps_row(table, row); });
}

Scope Filters::scope_of(const Trace& trace, const Mined& mined) const {
  const Window asked{from_ns_.value_or(INT64_MIN), to_ns_.value_or(INT64_MAX)};
  Scope scope;
  if (!by_iteration()) scope.add(asked);
  for (const DeviceMined& device : mined.devices) {
    if (device_ && *device_ != device.device) continue;
    for (size_t i = 0; by_iteration() && i < device.iterations.size(); ++i) {
      if (!keeps_iteration(device, i)) continue;
      const Iteration& iteration = device.iterations[i];
      Window window{iteration.start_ns, iteration.end_ns};
      for (uint32_t at = iteration.first; at < iteration.last; ++at) {
        const Op& op = trace.ops[device.order[at]];
        if (op.launch == kNone) continue;
        window.start_ns = std::min(window.start_ns, trace.calls[op.launch].start_ns);
      }
      scope.add({std::max(window.start_ns, asked.start_ns), std::min(window.end_ns, asked.end_ns)});
    }
  }
  return scope;
}

void Filters::keep_selected(Trace& trace, Mined& mined) const {
  if (!any()) return;
  const Scope scope = scope_of(trace, mined);
  std::vector<bool> keep(trace.ops.size(), !by_iteration());
  for (const DeviceMined& device : mined.devices) {
    for (size_t i = 0; by_iteration() && i < device.iterations.size(); ++i) {
      if (!keeps_iteration(device, i)) continue;
      for (uint32_t at = device.iterations[i].first; at < device.iterations[i].last; ++at)
        keep[device.order[at]] = true;
    }
  }
  std::vector<uint32_t> index_after(trace.ops.size(), kNone);
  uint32_t kept = 0;
  for (uint32_t i = 0; i < trace.ops.size(); ++i) {
    if (!keep[i] || !keeps_op(trace.ops[i])) continue;
    index_after[i] = kept;
    trace.ops[kept++] = trace.ops[i];
  }
  trace.ops.resize(kept);
  keep_host_of(scope, device_, trace);

  for (DeviceMined& device : mined.devices) {
    std::vector<uint32_t> position_after(device.order.size() + 1);
    std::vector<uint32_t> order;
    for (size_t at = 0; at < device.order.size(); ++at) {
      position_after[at] = static_cast<uint32_t>(order.size());
      if (index_after[device.order[at]] != kNone) order.push_back(index_after[device.order[at]]);
    }
    position_after.back() = static_cast<uint32_t>(order.size());
    std::vector<Iteration> iterations;
    for (size_t i = 0; i < device.iterations.size(); ++i) {
      Iteration iteration = device.iterations[i];
      iteration.first = position_after[iteration.first];
      iteration.last = position_after[iteration.last];
      if (keeps_iteration(device, i) && iteration.first < iteration.last)
        iterations.push_back(iteration);
    }
    for (Section& section : device.sections) {
      section.first = position_after[section.first];
      section.last = position_after[section.last];
    }
    device.order = std::move(order);
    device.iterations = std::move(iterations);
  }
  std::erase_if(mined.devices, [](const DeviceMined& device) { return device.order.empty(); });
}

}  // namespace deepprof
