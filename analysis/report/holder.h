// Which of some stretches of time, of windows or iterations, an instant lies in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace deepprof {

// `stretches`: ascending and apart, end excluded. Null: none.
template <typename Stretch>
const Stretch* holder(const std::vector<Stretch>& stretches, int64_t time_ns) {
  auto behind = std::upper_bound(
      stretches.begin(), stretches.end(), time_ns,
      [](int64_t time, const Stretch& stretch) { return time < stretch.start_ns; });
  if (behind == stretches.begin() || time_ns >= (--behind)->end_ns) return nullptr;
  return &*behind;
}

}  // namespace deepprof
