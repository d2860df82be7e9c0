// The intervals of a thread (calls, ranges) that touch a stretch of time, for stretches of ascending
// start. Keeps only what is open or ahead, so that its memory does not grow with the trace.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace deepprof {

// `Item` has start_ns, end_ns() and thread; `items` are ordered by start and outlive this.
template <typename Item>
class OpenIntervals {
 public:
  using Keep = bool (*)(const Item&);
  OpenIntervals(const std::vector<Item>& items, Keep keep) : items_(items), keep_(keep) {}

  // Indices of the thread's items that end after `start_ns`, by start; the last ones may start at or
  // after `end_ns`. `start_ns` must not be smaller than in the call before.
  const std::vector<uint32_t>& touching(uint32_t thread, int64_t start_ns, int64_t end_ns) {
    static const std::vector<uint32_t> kNothing;
    for (; next_ < items_.size() && items_[next_].start_ns < end_ns; ++next_) take(start_ns);
    if (thread >= threads_.size()) return kNothing;
    drop_ended(threads_[thread].open, start_ns);
    return threads_[thread].open;
  }

 private:
  struct ThreadItems {
    std::vector<uint32_t> open;
    size_t compact_at = 64;
  };

  void take(int64_t settled_ns) {
    const Item& item = items_[next_];
    if (!keep_(item) || item.end_ns() <= settled_ns) return;
    if (item.thread >= threads_.size()) threads_.resize(item.thread + 1);
    ThreadItems& thread = threads_[item.thread];
    // A thread that is never asked for must not pile up either.
    if (thread.open.size() >= thread.compact_at) {
      drop_ended(thread.open, settled_ns);
      thread.compact_at = std::max<size_t>(64, thread.open.size() * 2);
    }
    thread.open.push_back(static_cast<uint32_t>(next_));
  }
  void drop_ended(std::vector<uint32_t>& open, int64_t before_ns) const {
    std::erase_if(open, [&](uint32_t index) { return items_[index].end_ns() <= before_ns; });
  }

  const std::vector<Item>& items_;
  Keep keep_;
  std::vector<ThreadItems> threads_;
  size_t next_ = 0;
};

}  // namespace deepprof
