// The facts of a trace by key: what its recorder wrote down of process, machine and options.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "analysis/model/trace.h"

namespace deepprof {

// In a file that `deepprof recover` wrote: what its losses say of damage is of the file it was
// written from.
inline constexpr const char* kRecovered = "recovered";

// "1": written from a recording that nobody closed, whose end may lack ops (tail.h). The file at hand
// is closed.
inline constexpr const char* kNotClosed = "not_closed";

// How many ranks take part in every collective, where that is one number.
inline constexpr const char* kCollectiveRanks = "collective_ranks";

// The kinds of memory (allocation_kind_name(), parted by commas) of which what was in use when the
// recording began is not known: what is in use is what came on top.
inline constexpr const char* kInUseSinceStart = "in_use_since_start";

// How far (ns) the GPU's times were moved to the host's clock, which the file had them apart from:
// the most of any device. And "1": the clocks of a device have no one distance, so that its ops are
// without launches.
inline constexpr const char* kClockMoved = "clock_moved_ns";
inline constexpr const char* kClockUnusable = "clock_unusable";

// "1": Python was asked to tell of optimizer steps (run --steps).
inline constexpr const char* kStepHook = "step_hook";

// Whether the process recorded what it allocated (DEEPPROF_MEMORY): "on".
inline constexpr const char* kMemoryRecords = "memory_records";

// Why CUPTI could not say how many records it dropped: a count of 0 says nothing.
inline constexpr const char* kDroppedUnknown = "cupti_dropped_unknown";

// Null: the trace does not say.
inline const std::string* find_fact(const Trace& trace, std::string_view key) {
  for (const auto& [name, value] : trace.process.facts) {
    if (name == key) return &value;
  }
  return nullptr;
}

// Of a fact that says yes or no: the trace has it, and not as "0".
inline bool has_fact(const Trace& trace, std::string_view key) {
  const std::string* value = find_fact(trace, key);
  return value != nullptr && *value != "0";
}

// Nothing where the trace does not say, or no whole number.
inline std::optional<int64_t> integer_fact(const Trace& trace, std::string_view key) {
  const std::string* text = find_fact(trace, key);
  int64_t value = 0;
  if (text == nullptr) return {};
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size()) return {};
  return value;
}

// Empty where the trace does not say.
inline std::string fact_or_empty(const Trace& trace, std::string_view key) {
  const std::string* value = find_fact(trace, key);
  return value != nullptr ? *value : std::string();
}

}  // namespace deepprof
