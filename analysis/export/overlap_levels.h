// Spreads intervals that overlap over levels, so that a viewer which stacks or drops overlapping
// slices shows every one. The first is on level 0, and so are all that do not overlap it.
#pragma once

#include <cstdint>
#include <vector>

namespace deepprof {

class OverlapLevels {
 public:
  // Strict levels take intervals that are apart. Nested ones also take an interval that lies within
  // the last (a call within a call), as viewers draw those below each other.
  explicit OverlapLevels(bool nested = false) : nested_(nested) {}

  // The level of an interval; they come in order of their starts.
  uint32_t place(int64_t start_ns, int64_t end_ns) {
    for (uint32_t level = 0;; ++level) {
      if (level == open_ends_.size()) open_ends_.emplace_back();
      std::vector<int64_t>& open = open_ends_[level];
      while (!open.empty() && open.back() <= start_ns) open.pop_back();
      if (!open.empty() && (!nested_ || end_ns > open.back())) continue;
      open.push_back(end_ns);
      return level;
    }
  }

 private:
  bool nested_;
  // by level: ends of the intervals still open, inner last
  std::vector<std::vector<int64_t>> open_ends_;
};

}  // namespace deepprof
