#include "analysis/online/duration_table.h"

#include <algorithm>
#include <bit>

namespace deepprof {
namespace {

constexpr uint8_t kMostRecent = UINT8_MAX;

int32_t in_32_bits(int64_t time_ns) {
  return static_cast<int32_t>(std::min<int64_t>(time_ns, INT32_MAX));
}

// Which counts of positions in a row grow. Octaves as DurationStats::add() finds them, but by the
// exponent of a float, for which there are vector instructions.
void find_counts(const int32_t* __restrict durations_ns, uint32_t* __restrict counts,
                 uint32_t count) {
  constexpr float kFirst_ns = int32_t{1} << (DurationStats::kFirstOctaveBits - 1);
  constexpr float kLast_ns = int32_t{1}
                             << (DurationStats::kFirstOctaveBits + DurationStats::kOctaves - 2);
  constexpr uint32_t kMantissaBits = 23;
  for (uint32_t i = 0; i < count; ++i) {
    const auto duration = static_cast<float>(durations_ns[i]);  // exact below kLast_ns
    const float at_least = duration > kFirst_ns ? duration : kFirst_ns;
    const float within = at_least < kLast_ns ? at_least : kLast_ns;
    const uint32_t octave =
        (std::bit_cast<uint32_t>(within) - std::bit_cast<uint32_t>(kFirst_ns)) >> kMantissaBits;
    counts[i] = i * DurationStats::kOctaves + octave;
  }
}

}  // namespace

void DurationTable::resize(size_t positions) {
  sums_ns_.resize(positions);
  least_ns_.resize(positions, INT32_MAX);
  most_ns_.resize(positions);
  extremes_.resize(positions);
  counts_.resize(positions * DurationStats::kOctaves);
  recent_.resize(positions * DurationStats::kOctaves);
  recent_adds_.resize((positions + kPage - 1) / kPage);
}

bool operator==(const DurationTable& a, const DurationTable& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) return false;
  return true;
}

DurationStats DurationTable::operator[](size_t position) const {
  DurationStats stats{
      sums_ns_[position], extremes_[position].min_ns, extremes_[position].max_ns, {}};
  for (uint32_t octave = 0; octave < DurationStats::kOctaves; ++octave) {
    const size_t count = position * DurationStats::kOctaves + octave;
    stats.octaves[octave] = counts_[count] + recent_[count];
  }
  return stats;
}

void DurationTable::set(size_t position, const DurationStats& stats) {
  sums_ns_[position] = stats.sum_ns;
  extremes_[position] = {stats.min_ns, stats.max_ns};
  least_ns_[position] = in_32_bits(stats.min_ns);
  most_ns_[position] = in_32_bits(stats.max_ns);
  const size_t counts = position * DurationStats::kOctaves;
  std::copy(stats.octaves.begin(), stats.octaves.end(), &counts_[counts]);
  std::fill_n(&recent_[counts], DurationStats::kOctaves, uint8_t{0});
}

void DurationTable::add(size_t position, int64_t duration_ns) {
  DurationStats stats = (*this)[position];
  stats.add(duration_ns);
  set(position, stats);
}

void DurationTable::add(size_t first, std::span<const int32_t> durations_ns,
                        std::span<const uint32_t> missing) {
  if (durations_ns.empty()) return;
  for (size_t page = first / kPage; page * kPage < first + durations_ns.size(); ++page) {
    if (recent_adds_[page] == kMostRecent) move_recent(page);
    ++recent_adds_[page];
  }
  add_totals(first, durations_ns);
  count_octaves(first, durations_ns);
  for (const uint32_t position : missing)  // was counted just now, as one of the shortest
    --recent_[position * DurationStats::kOctaves];
}

void DurationTable::add_totals(size_t first, std::span<const int32_t> durations_ns) {
  const size_t count = durations_ns.size();
  const int32_t* __restrict durations = durations_ns.data();
  int64_t* __restrict sums = &sums_ns_[first];
  int32_t* __restrict least = &least_ns_[first];
  int32_t* __restrict most = &most_ns_[first];
  int32_t outside = 0;  // negative where a duration is
  for (size_t i = 0; i < count; ++i) {
    const int32_t seen = ~(durations[i] >> 31);  // all bits, or none
    const int32_t duration = (durations[i] & seen) | (least[i] & ~seen);
    sums[i] += static_cast<uint32_t>(durations[i] & seen);
    outside |= (duration - least[i]) | (most[i] - duration);
  }
  if (outside >= 0) return;  // all but the first few repetitions
  for (size_t i = 0; i < count; ++i) {
    if (durations[i] == kMissing) continue;
    if (durations[i] < least[i]) extremes_[first + i].min_ns = least[i] = durations[i];
    if (durations[i] > most[i]) extremes_[first + i].max_ns = most[i] = durations[i];
  }
}

void DurationTable::count_octaves(size_t first, std::span<const int32_t> durations_ns) {
  constexpr size_t kChunk = 256, kAtOnce = 8;
  uint32_t counts[kChunk];
  uint8_t* recent = &recent_[first * DurationStats::kOctaves];
  for (size_t done = 0; done < durations_ns.size(); done += kChunk) {
    const size_t count = std::min(kChunk, durations_ns.size() - done);
    find_counts(durations_ns.data() + done, counts, static_cast<uint32_t>(count));
    size_t i = 0;
    for (; i + kAtOnce <= count; i += kAtOnce) {
      for (size_t k = i; k < i + kAtOnce; ++k) ++recent[counts[k]];
    }
    for (; i < count; ++i) ++recent[counts[i]];
    recent += count * DurationStats::kOctaves;
  }
}

void DurationTable::move_recent(size_t page) {
  const size_t first = page * kPage * DurationStats::kOctaves;
  const size_t last = std::min(first + kPage * DurationStats::kOctaves, counts_.size());
  for (size_t i = first; i < last; ++i) counts_[i] += recent_[i];
  std::fill(recent_.begin() + static_cast<ptrdiff_t>(first),
            recent_.begin() + static_cast<ptrdiff_t>(last), uint8_t{0});
  recent_adds_[page] = 0;
}

}  // namespace deepprof
