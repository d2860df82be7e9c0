// What the SQLite files of Nsight Systems and nvprof share, as both hold CUPTI's activity records.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "analysis/import/clamped.h"
#include "analysis/import/load.h"
#include "analysis/import/sqlite_file.h"
#include "libdeepprof/event/event.h"

namespace deepprof {

// Calls the steps of a reader in order, up to the first that fails.
template <typename Reader, size_t N>
absl::Status run_steps(Reader& reader, absl::Status (Reader::*const (&steps)[N])(),
                       const LoadOptions& options) {
  size_t done = 0;
  for (const auto step : steps) {
    if (absl::Status status = (reader.*step)(); !status.ok()) return status;
    if (options.progress) options.progress(static_cast<double>(++done) / static_cast<double>(N));
  }
  return absl::OkStatus();
}

inline std::vector<std::string> joined(std::vector<std::string> columns,
                                       const std::vector<std::string>& more) {
  columns.insert(columns.end(), more.begin(), more.end());
  return columns;
}

// A kernel's launch: these columns, in this order from `first` on.
inline const std::vector<std::string> kLaunchColumns{"registersPerThread",
                                                     "gridX",
                                                     "gridY",
                                                     "gridZ",
                                                     "blockX",
                                                     "blockY",
                                                     "blockZ",
                                                     "staticSharedMemory",
                                                     "dynamicSharedMemory"};

inline Detail launch_detail(const SqliteRow& row, int first) {
  const auto column = [&](int index) { return row.integer_or(first + index, 0); };
  Detail detail;
  detail.registers = clamped<uint16_t>(column(0));
  detail.grid_x = clamped<uint32_t>(column(1));
  detail.grid_y = clamped<uint16_t>(column(2));
  detail.grid_z = clamped<uint16_t>(column(3));
  detail.block_x = clamped<uint16_t>(column(4));
  detail.block_y = clamped<uint16_t>(column(5));
  detail.block_z = clamped<uint16_t>(column(6));
  detail.shared_bytes =
      clamped<uint32_t>(int64_t{clamped<uint32_t>(column(7))} + clamped<uint32_t>(column(8)));
  return detail;
}

// CUpti_ActivityMemcpyKind, whose numbers are ours.
inline CopyKind cupti_copy_kind(int64_t number) {
  constexpr auto kLast = static_cast<int64_t>(CopyKind::peer_to_peer);
  return number >= 0 && number <= kLast ? static_cast<CopyKind>(number) : CopyKind::unknown;
}

// CUpti_ActivitySynchronizationType, brought into the range of those that have a name.
inline uint8_t cupti_sync_type(int64_t number) {
  constexpr int64_t kLast = 4;
  return static_cast<uint8_t>(std::clamp<int64_t>(number, 0, kLast));
}
inline const char* sync_name(uint8_t type) {
  constexpr const char* kNames[] = {"Synchronization", "Event Sync", "Stream Wait Event",
                                    "Stream Sync", "Context Sync"};
  return kNames[type];
}

}  // namespace deepprof
