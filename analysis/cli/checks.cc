#include "analysis/cli/checks.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

#include "analysis/model/facts.h"
#include "analysis/model/incomplete.h"
#include "analysis/model/launches.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

// Clock rates of two devices are aligned to about this; smaller steps back are no fault.
constexpr int64_t kClockTolerance_ns = 2000;

using Number = long long;

// The recording of a killed job is not closed, but whole up to its last flush.
Check file_check(const Trace& trace, const std::vector<std::string>& notes) {
  Check check{"file", CheckResult::passed, static_cast<int64_t>(notes.size()), "read whole"};
  if (const std::string* from = find_fact(trace, kRecovered))
    check.finding = "read whole; recovered from " + *from;
  if (!notes.empty()) {
    check.result = trace.losses[Loss::file_damaged] > 0 ? CheckResult::failed : CheckResult::noted;
    check.finding = notes.front();
  }
  return check;
}

void add_loss_checks(const Trace& trace, std::vector<Check>& checks) {
  for (const LossInfo& info : losses()) {
    const auto count = static_cast<int64_t>(trace.losses[info.loss]);
    if (count == 0) continue;
    // The file at hand is whole; what is lost is for its reports to say, and they do.
    const bool before = info.loss == Loss::file_damaged && find_fact(trace, kRecovered) != nullptr;
    const bool lacking = info.loss == Loss::bad_timestamp || info.loss == Loss::import_skipped;
    const bool too_many = lacking && lacks_records(trace);
    const bool failed = (info.severity == Severity::error && !before) || too_many;
    checks.push_back({std::string(info.name), failed ? CheckResult::failed : CheckResult::noted,
                      count,
                      info.words(static_cast<uint64_t>(count)) +
                          (before ? ", in the file that it was recovered from" : "")});
  }
  const std::string* unknown = find_fact(trace, kDroppedUnknown);
  if (unknown != nullptr) {
    checks.push_back({"cupti_dropped", CheckResult::noted, 0,
                      "CUPTI could not say how many records it dropped: " + *unknown});
  } else if (!trace.losses.any(Severity::note)) {
    checks.push_back({"losses", CheckResult::passed, 0, "none counted"});
  }
}

Check launch_check(const Trace& trace) {
  if (const uint64_t launches = launches_without_kernels(trace); launches > 0)
    return {
        "launch records", CheckResult::failed, static_cast<int64_t>(launches),
        "launches of kernels, but no kernel: kernels were not recorded, or every launch failed"};
  const auto orphans = std::count_if(trace.ops.begin(), trace.ops.end(),
                                     [&](const Op& op) { return lacks_launch(trace, op); });
  Check check{"launch records", CheckResult::passed, orphans,
              "every op has the call that launched it"};
  const auto migrations = std::count_if(trace.ops.begin(), trace.ops.end(),
                                        [&](const Op& op) { return is_migration(trace, op); });
  if (migrations > 0)
    check.finding += format_text(", but %lld moves of managed memory, which none launches",
                                 static_cast<Number>(migrations));
  if (orphans > 0) {
    check.result = CheckResult::noted;
    check.finding =
        format_text("of %zu ops have no launch record: their gaps have no cause", trace.ops.size());
  }
  return check;
}

// An op that starts before its launch call shows clocks that do not agree.
Check causality_check(const Trace& trace) {
  Check check{"launch before op", CheckResult::passed, 0,
              "no op starts before the call that launched it"};
  int64_t worst_ns = 0;
  for (const Op& op : trace.ops) {
    if (op.launch == kNone) continue;
    const int64_t early_ns = trace.calls[op.launch].start_ns - op.start_ns;
    if (early_ns <= kClockTolerance_ns) continue;
    ++check.count;
    worst_ns = std::max(worst_ns, early_ns);
  }
  if (check.count > 0) {
    check.result = CheckResult::failed;
    check.finding =
        format_text("ops start before their launch, by up to %lld ns: the clocks disagree",
                    static_cast<Number>(worst_ns));
  }
  return check;
}

// Ops of one stream run one after another, but for the nodes of a graph launch, which may overlap.
Check stream_check(const Trace& trace) {
  Check check{"streams in order", CheckResult::passed, 0, "ops of a stream do not overlap"};
  struct Last {
    int64_t end_ns = INT64_MIN;
    bool in_graph = false;
  };
  std::map<std::pair<uint16_t, uint32_t>, Last> last;
  int64_t worst_ns = 0;
  for (const Op& op : trace.ops) {
    Last& before = last[{op.device, op.stream}];
    const bool in_graph = op.graph_node != 0;
    if (op.start_ns < before.end_ns && !(in_graph && before.in_graph)) {
      ++check.count;
      worst_ns = std::max(worst_ns, before.end_ns - op.start_ns);
    }
    if (op.end_ns() > before.end_ns) before = {op.end_ns(), in_graph};
  }
  if (check.count > 0) {
    check.result = CheckResult::noted;
    check.finding =
        format_text("ops begin before the one before them on their stream ends, by up to %lld ns",
                    static_cast<Number>(worst_ns));
  }
  return check;
}

Check zero_length_check(const Trace& trace) {
  const auto count = std::count_if(trace.ops.begin(), trace.ops.end(),
                                   [](const Op& op) { return op.duration_ns == 0; });
  Check check{"lengths", CheckResult::passed, count, "every op takes time"};
  if (count > 0) {
    check.result = CheckResult::noted;
    check.finding = "ops have no length: the clock of this trace is coarse";
  }
  return check;
}

Check name_check(const Trace& trace) {
  const auto count = std::count_if(trace.ops.begin(), trace.ops.end(), [&](const Op& op) {
    const std::string_view name = trace.names[op.name];
    return name.empty() || name.ends_with("(lost)");
  });
  Check check{"names", CheckResult::passed, count, "every op has a name"};
  if (count > 0) {
    check.result = CheckResult::failed;
    check.finding = "ops have lost their name";
  }
  return check;
}

Check clock_check(const Trace& trace) {
  if (has_fact(trace, kClockUnusable)) {
    return {"clock", CheckResult::failed, 1,
            "GPU and host have clocks of their own, whose distance changes: launches are left out"};
  }
  if (const auto moved = integer_fact(trace, kClockMoved)) {
    return {"clock", CheckResult::failed, 1,
            format_text("GPU and host have clocks of their own: the GPU's times were moved by %lld "
                        "ns, so that no op begins before its launch",
                        static_cast<Number>(*moved))};
  }
  const std::string* steps = find_fact(trace, "clock_steps");
  if (steps == nullptr || *steps == "0") {
    return {"clock", CheckResult::passed, 0, "no step of the wall clock was seen"};
  }
  return {"clock", CheckResult::noted, std::atoll(steps->c_str()),
          "steps of the wall clock while recording: durations across them are wrong"};
}

// The wall clock, the monotonic clock and the records' clock at one moment.
struct ClockReading {
  Number wall_ns = 0, monotonic_ns = 0, records_ns = 0;
};

std::optional<ClockReading> clock_reading(const Trace& trace, const char* key) {
  ClockReading reading;
  const std::string text = fact_or_empty(trace, key);
  if (std::sscanf(text.c_str(), "%lld %lld %lld", &reading.wall_ns, &reading.monotonic_ns,
                  &reading.records_ns) != 3 ||
      reading.records_ns == 0)
    return {};
  return reading;
}

// By how much the clock of the records went another way than the machine's: samples and records are
// on one axis only as far as the two agree.
Check clock_residual_check(const Trace& trace) {
  constexpr Number kTolerance_ns = 1'000'000;
  Check check{"clock residual", CheckResult::passed, 0, "this recorder does not tell"};
  const auto first = clock_reading(trace, "clock_first"), last = clock_reading(trace, "clock_last");
  Number of_records = 0, of_monotonic = 0, residual_ns = 0;
  if (!first || !last || __builtin_sub_overflow(last->records_ns, first->records_ns, &of_records) ||
      __builtin_sub_overflow(last->monotonic_ns, first->monotonic_ns, &of_monotonic) ||
      __builtin_sub_overflow(of_records, of_monotonic, &residual_ns))
    return check;
  check.count = std::abs(std::max<Number>(residual_ns, -INT64_MAX));
  check.finding =
      format_text("ns between the clock of the records and the monotonic one after %.1f s",
                  static_cast<double>(of_monotonic) / 1e9);
  if (check.count > kTolerance_ns && fact_or_empty(trace, "clock_steps").empty())
    check.result = CheckResult::noted;
  return check;
}

const char* word(CheckResult result) {
  switch (result) {
    case CheckResult::passed: return "ok";
    case CheckResult::noted: return "note";
    case CheckResult::failed: return "FAILED";
  }
  return "";
}

}  // namespace

std::vector<Check> check_trace(const Trace& trace, const std::vector<std::string>& notes) {
  std::vector<Check> checks;
  checks.push_back(file_check(trace, notes));
  add_loss_checks(trace, checks);
  checks.push_back(launch_check(trace));
  checks.push_back(causality_check(trace));
  checks.push_back(stream_check(trace));
  checks.push_back(zero_length_check(trace));
  checks.push_back(name_check(trace));
  checks.push_back(clock_check(trace));
  checks.push_back(clock_residual_check(trace));
  return checks;
}

Table checks_table(const std::vector<Check>& checks) {
  Table table;
  table.name = "checks";
  table.columns = {{"check", Unit::none, ""},
                   {"result", Unit::none, ""},
                   {"count", Unit::count, ""},
                   {"finding", Unit::none, ""}};
  for (const Check& check : checks) {
    table.rows.push_back({check.name, std::string(word(check.result)), check.count, check.finding});
  }
  return table;
}

bool any_failed(const std::vector<Check>& checks) {
  return std::any_of(checks.begin(), checks.end(),
                     [](const Check& check) { return check.result == CheckResult::failed; });
}

}  // namespace deepprof
