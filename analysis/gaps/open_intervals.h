// The intervals of a thread (calls, ranges) that touch a stretch of time. IntervalsByThread sorts
// them by thread, once for a trace; an OpenIntervals walks them for the stretches of one device, of
// ascending start. So many devices cost no more than one: a walk reads the threads that it is asked
// for and leaps where the stretches are far apart.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace deepprof {

// `Item` has start_ns, end_ns() and thread; `items` are ordered by start and outlive this.
template <typename Item>
class IntervalsByThread {
 public:
  using Keep = bool (*)(const Item&);
  IntervalsByThread(const std::vector<Item>& items, Keep keep) : items_(items) {
    for (uint32_t index = 0; index < items.size(); ++index) {
      const Item& item = items[index];
      if (!keep(item)) continue;
      Thread& thread = threads_[item.thread];
      thread.indices.push_back(index);
      thread.longest_ns = std::max(thread.longest_ns, item.end_ns() - item.start_ns);
    }
  }

  struct Thread {
    std::vector<uint32_t> indices;  // by start
    int64_t longest_ns = 0;
  };
  // The place in `thread` from `next` on that is past what starts so early that not even the
  // longest item reaches `start_ns`. Most stretches follow the last one closely, so the search
  // widens from where the walk is.
  size_t leap(const Thread& thread, size_t next, int64_t start_ns) const {
    const int64_t earliest_ns = start_ns - thread.longest_ns;
    const auto too_early = [&](size_t at) {
      return items_[thread.indices[at]].start_ns < earliest_ns;
    };
    size_t step = 1;
    while (next + step < thread.indices.size() && too_early(next + step)) step *= 2;
    if (step == 1) return next;
    const auto begin = thread.indices.begin();
    const auto from = begin + static_cast<std::ptrdiff_t>(next + step / 2);
    const auto to =
        begin + static_cast<std::ptrdiff_t>(std::min(next + step, thread.indices.size()));
    const auto first = std::partition_point(
        from, to, [&](uint32_t index) { return items_[index].start_ns < earliest_ns; });
    return static_cast<size_t>(first - begin);
  }
  const Thread* thread(uint32_t number) const {
    const auto found = threads_.find(number);
    return found == threads_.end() ? nullptr : &found->second;
  }
  const std::vector<Item>& items() const { return items_; }

 private:
  const std::vector<Item>& items_;
  std::unordered_map<uint32_t, Thread> threads_;  // numbers come from a file: they may be any
};

template <typename Item>
class OpenIntervals {
 public:
  explicit OpenIntervals(const IntervalsByThread<Item>& all) : all_(all) {}

  // Indices of the thread's items that end after `start_ns` and start before `end_ns` (some of
  // those before may be left over from a longer stretch), by start. `start_ns` must not be smaller
  // than in the call before.
  const std::vector<uint32_t>& touching(uint32_t thread, int64_t start_ns, int64_t end_ns) {
    static const std::vector<uint32_t> kNothing;
    const auto* known = all_.thread(thread);
    if (known == nullptr || known->indices.empty()) return kNothing;
    Walk& walk = walks_[thread];
    walk.next = all_.leap(*known, walk.next, start_ns);
    for (; walk.next < known->indices.size(); ++walk.next) {
      const Item& item = all_.items()[known->indices[walk.next]];
      if (item.start_ns >= end_ns) break;
      if (item.end_ns() > start_ns) walk.open.push_back(known->indices[walk.next]);
    }
    std::erase_if(walk.open,
                  [&](uint32_t index) { return all_.items()[index].end_ns() <= start_ns; });
    return walk.open;
  }

 private:
  struct Walk {
    size_t next = 0;             // into the thread's indices
    std::vector<uint32_t> open;  // walked over and not ended
  };

  const IntervalsByThread<Item>& all_;
  std::unordered_map<uint32_t, Walk> walks_;  // of the threads that were asked for
};

}  // namespace deepprof
