// RunStatistics as bytes, for TraceWriter::put_blob(): varints, a version first. About 40 bytes for
// each op of the followed iterations.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/online/run_statistics.h"

namespace deepprof {

// The blob's key: this, then the device number.
inline constexpr std::string_view kRunStatisticsKey = "run_statistics.";
std::string run_statistics_key(uint16_t device);

// Statistics with the names that they use: ids are those of the recording process, not of any
// trace.
struct StoredRun {
  RunStatistics statistics;
  std::unordered_map<NameId, std::string> names;

  std::string_view name(NameId id) const {
    const auto found = names.find(id);
    return found == names.end() ? std::string_view("?") : std::string_view(found->second);
  }
};

// `names`: texts by NameId; those that it lacks are stored as "?".
std::string encode_run_statistics(const RunStatistics& statistics,
                                  const std::vector<std::string>& names);
// Nothing, if the bytes are malformed or of a version that this one does not know. Reads untrusted
// bytes: memory stays within a small multiple of their size.
std::optional<StoredRun> decode_run_statistics(std::string_view bytes);

}  // namespace deepprof
