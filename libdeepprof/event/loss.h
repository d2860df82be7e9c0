// Losses are data: every way in which a trace can be less than the truth has a row here, is counted
// by capture or by an importer, is stored in the trace, and is printed by every report.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace deepprof {

// The number is the one on disk: append only.
enum class Loss : uint8_t {
  cupti_dropped = 0,     // CUPTI said it dropped records
  no_buffer = 1,         // CUPTI asked for a buffer and the pool was empty
  ring_full = 2,         // events dropped because the drain thread was behind
  write_failed = 3,      // events lost because the file could not be written
  segment_evicted = 4,   // raw events let go to keep the file ceiling
  bad_timestamp = 5,     // zero, reversed or absurd times: excluded from every account
  unknown_record = 6,    // record kinds this version does not decode
  truncated_record = 7,  // a record cut by the buffer's end
  decode_refused = 8,    // record kind whose layout is too short to be trusted
  file_damaged = 9,      // chunks that could not be read back
  takeover = 10,         // spells in which another tool held CUPTI
  name_table_full = 11,  // names replaced by a placeholder to bound memory
  // buffers CUPTI had not returned when the process ended, or gave to another tool
  never_returned = 12,
  import_skipped = 13,  // input rows that could not be understood
};
inline constexpr size_t kLossCount = 14;

enum class Severity : uint8_t { note, warning, error };

struct LossInfo {
  Loss loss;
  std::string_view name;  // stable key in JSON and CSV
  Severity severity;      // error: the figures are incomplete
  std::string_view noun;  // what is counted, one of it: "record"
  std::string_view what;  // what became of it: "dropped by CUPTI"

  std::string words(uint64_t count) const;  // follows the count: "records dropped by CUPTI"
};

std::span<const LossInfo> losses();  // in the order of Loss

struct LossCounts {
  std::array<uint64_t, kLossCount> count{};

  uint64_t& operator[](Loss loss) { return count[static_cast<size_t>(loss)]; }
  uint64_t operator[](Loss loss) const { return count[static_cast<size_t>(loss)]; }
  bool any(Severity at_least) const;
};

}  // namespace deepprof
