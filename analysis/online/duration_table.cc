#include "analysis/online/duration_table.h"

#include <algorithm>
#include <bit>

namespace deepprof {
namespace {

constexpr size_t kChunk = 64;

int32_t in_32_bits(int64_t time_ns) {
  return static_cast<int32_t>(std::min<int64_t>(time_ns, INT32_MAX));
}

// As DurationStats::add() finds them, but by the exponent of a float, for which there are vector
// instructions.
void find_octaves(const int32_t* __restrict durations_ns, uint32_t* __restrict octaves,
                  size_t count) {
  constexpr float kFirst_ns = int32_t{1} << (DurationStats::kFirstOctaveBits - 1);
  constexpr float kLast_ns = int32_t{1}
                             << (DurationStats::kFirstOctaveBits + DurationStats::kOctaves - 2);
  constexpr uint32_t kMantissaBits = 23;
  for (size_t i = 0; i < count; ++i) {
    const auto duration = static_cast<float>(durations_ns[i]);  // exact below kLast_ns
    const float at_least = duration > kFirst_ns ? duration : kFirst_ns;
    const float within = at_least < kLast_ns ? at_least : kLast_ns;
    octaves[i] =
        (std::bit_cast<uint32_t>(within) - std::bit_cast<uint32_t>(kFirst_ns)) >> kMantissaBits;
  }
}

}  // namespace

void DurationTable::resize(size_t positions) {
  sums_ns_.resize(positions);
  least_ns_.resize(positions, INT32_MAX);
  most_ns_.resize(positions);
  extremes_.resize(positions);
  counts_.resize(positions * DurationStats::kOctaves);
}

DurationStats DurationTable::operator[](size_t position) const {
  DurationStats stats{
      sums_ns_[position], extremes_[position].min_ns, extremes_[position].max_ns, {}};
  std::copy_n(&counts_[position * DurationStats::kOctaves], DurationStats::kOctaves,
              stats.octaves.begin());
  return stats;
}

void DurationTable::set(size_t position, const DurationStats& stats) {
  sums_ns_[position] = stats.sum_ns;
  extremes_[position] = {stats.min_ns, stats.max_ns};
  least_ns_[position] = in_32_bits(stats.min_ns);
  most_ns_[position] = in_32_bits(stats.max_ns);
  std::copy(stats.octaves.begin(), stats.octaves.end(),
            &counts_[position * DurationStats::kOctaves]);
}

void DurationTable::add(size_t position, int64_t duration_ns) {
  DurationStats stats = (*this)[position];
  stats.add(duration_ns);
  set(position, stats);
}

void DurationTable::add(size_t first, std::span<const int32_t> durations_ns) {
  while (!durations_ns.empty()) {
    const auto part = durations_ns.first(std::min(kChunk, durations_ns.size()));
    add_totals(first, part);
    count_octaves(first, part);
    first += part.size();
    durations_ns = durations_ns.subspan(part.size());
  }
}

void DurationTable::add_totals(size_t first, std::span<const int32_t> durations_ns) {
  const size_t count = durations_ns.size();
  const int32_t* __restrict durations = durations_ns.data();
  int64_t* __restrict sums = &sums_ns_[first];
  int32_t* __restrict least = &least_ns_[first];
  int32_t* __restrict most = &most_ns_[first];
  int32_t outside = 0;  // negative where a duration is
  for (size_t i = 0; i < count; ++i) {
    sums[i] += static_cast<uint32_t>(durations[i]);
    outside |= (durations[i] - least[i]) | (most[i] - durations[i]);
  }
  if (outside >= 0) return;  // all but the first few repetitions
  for (size_t i = 0; i < count; ++i) {
    if (durations[i] < least[i]) extremes_[first + i].min_ns = least[i] = durations[i];
    if (durations[i] > most[i]) extremes_[first + i].max_ns = most[i] = durations[i];
  }
}

void DurationTable::count_octaves(size_t first, std::span<const int32_t> durations_ns) {
  constexpr size_t kAtOnce = 8;
  uint32_t octaves[kChunk];
  find_octaves(durations_ns.data(), octaves, durations_ns.size());
  uint32_t* counts = &counts_[first * DurationStats::kOctaves];
  size_t i = 0;
  for (; i + kAtOnce <= durations_ns.size(); i += kAtOnce) {
    for (size_t k = i; k < i + kAtOnce; ++k) ++counts[k * DurationStats::kOctaves + octaves[k]];
  }
  for (; i < durations_ns.size(); ++i) ++counts[i * DurationStats::kOctaves + octaves[i]];
}

}  // namespace deepprof
