// Stable sort of rows by an integer time: radix passes over small keys, then one move per row.
// Traces come in blocks that overlap, millions of rows of 40 to 48 bytes: a merge sort would move
// each of them some twenty times.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace deepprof {

// Sorts keys by bits_of(key), a uint64_t, but for its last `left_out` bits; stably.
template <typename Key, typename BitsOf>
void radix_sort(std::vector<Key>& keys, BitsOf bits_of, unsigned left_out = 0) {
  constexpr unsigned kBits = 11;
  uint64_t all = 0;
  for (const Key& key : keys) all |= bits_of(key);
  std::vector<Key> other(keys.size());
  for (unsigned shift = left_out; shift < 64 && (all >> shift) != 0; shift += kBits) {
    std::array<uint32_t, 1 << kBits> start{};
    const auto digit = [&](const Key& key) { return (bits_of(key) >> shift) & ((1 << kBits) - 1); };
    for (const Key& key : keys) ++start[digit(key)];
    uint32_t sum = 0;
    for (uint32_t& slot : start) sum += std::exchange(slot, sum);
    for (const Key& key : keys) other[start[digit(key)]++] = key;
    keys.swap(other);
  }
}

// Two radix passes leave keys in order but for a few neighbours.
inline void sort_keys(std::vector<uint64_t>& keys, unsigned bits) {
  constexpr unsigned kTwoPasses = 22;
  const unsigned left_out = bits > kTwoPasses ? bits - kTwoPasses : 0;
  radix_sort(
      keys, [](uint64_t key) { return key; }, left_out);
  for (auto run = keys.begin(); left_out > 0 && run != keys.end();) {
    auto end = run + 1;
    while (end != keys.end() && *end >> left_out == *run >> left_out) ++end;
    if (end - run > 1) std::sort(run, end);
    run = end;
  }
}

struct TimeKey {
  uint64_t time = 0;   // from the least of all
  uint32_t index = 0;  // where the row was
};

// Where the rows are that come first, second, ... by time; `time_of(row)` gives an int64_t.
// Precondition: fewer than 2^32 - 1 rows.
template <typename Row, typename TimeOf>
std::vector<uint32_t> order_by_time(std::span<const Row> rows, TimeOf time_of) {
  const auto count = static_cast<uint32_t>(rows.size());
  int64_t least = INT64_MAX, greatest = INT64_MIN;
  for (const Row& row : rows) {
    least = std::min<int64_t>(least, time_of(row));
    greatest = std::max<int64_t>(greatest, time_of(row));
  }
  const auto since_least = [&](int64_t time) {
    return static_cast<uint64_t>(time) - static_cast<uint64_t>(least);
  };
  std::vector<uint32_t> order(count);
  const int index_bits = std::bit_width(count);
  const int bits = count > 0 ? std::bit_width(since_least(greatest)) + index_bits : 0;
  if (bits <= 64) {
    // Both in a word, half the bytes to move: so are a million rows within five hours.
    std::vector<uint64_t> keys(count);
    for (uint32_t i = 0; i < count; ++i) keys[i] = since_least(time_of(rows[i])) << index_bits | i;
    sort_keys(keys, static_cast<unsigned>(bits));
    const uint64_t mask = (uint64_t{1} << index_bits) - 1;
    for (uint32_t i = 0; i < count; ++i) order[i] = static_cast<uint32_t>(keys[i] & mask);
  } else {
    std::vector<TimeKey> keys(count);
    for (uint32_t i = 0; i < count; ++i) keys[i] = {since_least(time_of(rows[i])), i};
    radix_sort(keys, [](const TimeKey& key) { return key.time; });
    for (uint32_t i = 0; i < count; ++i) order[i] = keys[i].index;
  }
  return order;
}

// Puts rows[order[i]] at i, in place, along the cycles of the permutation. Spoils `order`.
template <typename Row>
void permute(std::vector<Row>& rows, std::vector<uint32_t>& order) {
  constexpr uint32_t kDone = UINT32_MAX;
  for (uint32_t first = 0; first < order.size(); ++first) {
    if (order[first] == kDone || order[first] == first) continue;
    Row carried = std::move(rows[first]);
    uint32_t hole = first;
    while (order[hole] != first) {
      const uint32_t from = std::exchange(order[hole], kDone);
      rows[hole] = std::move(rows[from]);
      hole = from;
    }
    rows[hole] = std::move(carried);
    order[hole] = kDone;
  }
}

template <typename Row, typename TimeOf>
void sort_by_time(std::vector<Row>& rows, TimeOf time_of) {
  const auto earlier = [&](const Row& a, const Row& b) { return time_of(a) < time_of(b); };
  if (std::is_sorted(rows.begin(), rows.end(), earlier)) return;
  constexpr size_t kFewRows = 2000;  // where the passes' tables cost more than comparing
  if (rows.size() < kFewRows) {
    std::stable_sort(rows.begin(), rows.end(), earlier);
    return;
  }
  std::vector<uint32_t> order = order_by_time(std::span<const Row>(rows), time_of);
  permute(rows, order);
}

}  // namespace deepprof
