// Stable sort of rows by an integer time: radix passes over keys of 16 bytes, then one move per
// row. Traces come in blocks that overlap, millions of rows of 40 to 48 bytes: a merge sort would
// move each of them some twenty times.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace deepprof {

struct TimeKey {
  uint64_t time = 0;   // from the least of all
  uint32_t index = 0;  // where the row was
};

// Sorts keys by time, stably.
inline void radix_sort(std::vector<TimeKey>& keys) {
  constexpr unsigned kBits = 11;
  uint64_t all = 0;
  for (const TimeKey& key : keys) all |= key.time;
  std::vector<TimeKey> other(keys.size());
  for (unsigned shift = 0; shift < 64 && (all >> shift) != 0; shift += kBits) {
    std::array<uint32_t, 1 << kBits> start{};
    const auto digit = [shift](const TimeKey& key) {
      return (key.time >> shift) & ((1 << kBits) - 1);
    };
    for (const TimeKey& key : keys) ++start[digit(key)];
    uint32_t sum = 0;
    for (uint32_t& slot : start) sum += std::exchange(slot, sum);
    for (const TimeKey& key : keys) other[start[digit(key)]++] = key;
    keys.swap(other);
  }
}

// Puts rows[order[i].index] at i, in place, along the cycles of the permutation. Spoils `order`.
template <typename Row>
void permute(std::vector<Row>& rows, std::vector<TimeKey>& order) {
  constexpr uint32_t kDone = UINT32_MAX;
  for (uint32_t first = 0; first < order.size(); ++first) {
    if (order[first].index == kDone || order[first].index == first) continue;
    Row carried = std::move(rows[first]);
    uint32_t hole = first;
    while (order[hole].index != first) {
      const uint32_t from = std::exchange(order[hole].index, kDone);
      rows[hole] = std::move(rows[from]);
      hole = from;
    }
    rows[hole] = std::move(carried);
    order[hole].index = kDone;
  }
}

// `time_of(row)` gives an int64_t. Precondition: fewer than 2^32 - 1 rows.
template <typename Row, typename TimeOf>
void sort_by_time(std::vector<Row>& rows, TimeOf time_of) {
  const auto earlier = [&](const Row& a, const Row& b) { return time_of(a) < time_of(b); };
  if (std::is_sorted(rows.begin(), rows.end(), earlier)) return;
  constexpr size_t kFewRows = 2000;  // where the passes' tables cost more than comparing
  if (rows.size() < kFewRows) {
    std::stable_sort(rows.begin(), rows.end(), earlier);
    return;
  }
  const auto least =
      static_cast<uint64_t>(time_of(*std::min_element(rows.begin(), rows.end(), earlier)));
  std::vector<TimeKey> keys(rows.size());
  for (uint32_t i = 0; i < keys.size(); ++i) {
    keys[i] = {static_cast<uint64_t>(time_of(rows[i])) - least, i};
  }
  radix_sort(keys);
  permute(rows, keys);
}

}  // namespace deepprof
