#include "analysis/online/duration_table.h"

#include <algorithm>
#include <utility>

#include "libdeepprof/vector_clones.h"

namespace deepprof {
namespace {

constexpr uint32_t kOctaves = DurationStats::kOctaves;
constexpr uint32_t kFirstBits = DurationStats::kFirstOctaveBits;

// Shorter and longer ones lie in the octaves of these.
constexpr int32_t kShortest_ns = int32_t{1} << (kFirstBits - 1);
constexpr int32_t kLongest_ns = int32_t{1} << (kFirstBits + kOctaves - 2);

int32_t in_32_bits(int64_t time_ns) {
  return static_cast<int32_t>(std::min<int64_t>(time_ns, INT32_MAX));
}

// Of all but the first.
int32_t begin_ns(uint32_t octave) { return int32_t{1} << (kFirstBits + octave - 1); }

uint32_t octave_beginning_at(int32_t begin_ns) {
  return detail::bit_width(static_cast<uint64_t>(begin_ns)) - kFirstBits;
}

uint32_t octave_of(int64_t duration_ns) {
  const uint32_t bits = detail::bit_width(static_cast<uint64_t>(duration_ns) >> kFirstBits);
  return std::min(bits, kOctaves - 1);
}

// Is it seen, and in none of the two octaves on either side of the border?
bool is_unusual(int32_t duration_ns, int32_t border_ns) {
  const int32_t duration = std::clamp(duration_ns, kShortest_ns, kLongest_ns);
  return duration_ns >= 0 && (duration < border_ns / 2 || duration >= 2 * border_ns);
}

}  // namespace

void DurationTable::resize(size_t positions) {
  sums_ns_.resize(positions);
  least_ns_.resize(positions, INT32_MAX);
  most_ns_.resize(positions);
  extremes_.resize(positions);
  borders_ns_.resize(positions);
  lower_.resize(positions);
  upper_.resize(positions);
  counts_.resize(positions * kOctaves);
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
  std::copy_n(&counts_[position * kOctaves], kOctaves, stats.octaves.begin());
  if (borders_ns_[position] == 0) return stats;
  const uint32_t upper = octave_beginning_at(borders_ns_[position]);
  stats.octaves[upper - 1] = lower_[position];
  stats.octaves[upper] = upper_[position];
  return stats;
}

void DurationTable::set(size_t position, const DurationStats& stats) {
  sums_ns_[position] = stats.sum_ns;
  extremes_[position] = {stats.min_ns, stats.max_ns};
  least_ns_[position] = in_32_bits(stats.min_ns);
  most_ns_[position] = in_32_bits(stats.max_ns);
  std::copy(stats.octaves.begin(), stats.octaves.end(), &counts_[position * kOctaves]);
  borders_ns_[position] = 0;
  lower_[position] = upper_[position] = 0;
}

void DurationTable::add(size_t position, int64_t duration_ns) {
  DurationStats stats = (*this)[position];
  stats.add(duration_ns);
  set(position, stats);
}

// All but new extremes and octaves that are not the usual ones.
DEEPPROF_VECTOR_CLONES
DurationTable::Unusual DurationTable::add_usual(size_t first,
                                                std::span<const int32_t> durations_ns) {
  const int32_t* durations = durations_ns.data();
  const int32_t* least = &least_ns_[first];
  const int32_t* most = &most_ns_[first];
  const int32_t* borders = &borders_ns_[first];
  int64_t* sums = &sums_ns_[first];
  uint32_t* lower = &lower_[first];
  uint32_t* upper = &upper_[first];
  int32_t extremes = 0, octaves = 0;  // negative where an op is unusual
  DEEPPROF_INDEPENDENT
  for (size_t i = 0, count = durations_ns.size(); i < count; ++i) {
    const int32_t seen = ~(durations[i] >> 31);  // all bits, or none
    sums[i] += static_cast<uint32_t>(durations[i] & seen);
    const int32_t duration = (durations[i] & seen) | (least[i] & ~seen);
    extremes |= (duration - least[i]) | (most[i] - duration);
    const int32_t at_least = duration > kShortest_ns ? duration : kShortest_ns;
    const int32_t within = at_least < kLongest_ns ? at_least : kLongest_ns;
    // All bits where the duration lies below the lower octave, the upper one, and what is above.
    const int32_t border = borders[i];
    const int32_t below_lower = (within - (border >> 1)) >> 31;
    const int32_t below_upper = (within - border) >> 31;
    const int32_t below_end = (within - (border << 1)) >> 31;
    lower[i] += static_cast<uint32_t>(below_upper & ~below_lower & seen & 1);
    upper[i] += static_cast<uint32_t>(below_end & ~below_upper & seen & 1);
    octaves |= (below_lower | ~below_end) & seen;
  }
  return {extremes < 0, octaves < 0};
}

void DurationTable::add(size_t first, std::span<const int32_t> durations_ns) {
  constexpr size_t kChunk = 128;  // what is unusual is searched for in so many
  for (size_t done = 0; done < durations_ns.size(); done += kChunk) {
    const auto chunk = durations_ns.subspan(done, std::min(kChunk, durations_ns.size() - done));
    const Unusual unusual = add_usual(first + done, chunk);
    if (unusual.extremes) add_extremes(first + done, chunk);
    if (unusual.octaves) add_octaves(first + done, chunk);
  }
}

void DurationTable::add_extremes(size_t first, std::span<const int32_t> durations_ns) {
  for (size_t i = 0; i < durations_ns.size(); ++i) {
    const int32_t duration = durations_ns[i];
    if (duration == kMissing) continue;
    Extremes& extremes = extremes_[first + i];
    if (duration < least_ns_[first + i]) extremes.min_ns = least_ns_[first + i] = duration;
    if (duration > most_ns_[first + i]) extremes.max_ns = most_ns_[first + i] = duration;
  }
}

void DurationTable::add_octaves(size_t first, std::span<const int32_t> durations_ns) {
  for (size_t i = 0; i < durations_ns.size(); ++i) {
    if (!is_unusual(durations_ns[i], borders_ns_[first + i])) continue;
    const uint32_t octave = octave_of(durations_ns[i]);
    const uint32_t count = ++counts_[(first + i) * kOctaves + octave];
    if (count <= lower_[first + i] + upper_[first + i]) continue;
    // The neighbour is that of the nearer border.
    const bool upper_half = octave > 0 && durations_ns[i] - begin_ns(octave) > begin_ns(octave) / 2;
    const uint32_t upper =
        octave == 0 || (upper_half && octave + 1 < kOctaves) ? octave + 1 : octave;
    settle_octaves(first + i, upper);
  }
}

void DurationTable::settle_octaves(size_t position, uint32_t upper_octave) {
  DurationStats stats = (*this)[position];
  lower_[position] = std::exchange(stats.octaves[upper_octave - 1], 0);
  upper_[position] = std::exchange(stats.octaves[upper_octave], 0);
  std::copy(stats.octaves.begin(), stats.octaves.end(), &counts_[position * kOctaves]);
  borders_ns_[position] = begin_ns(upper_octave);
}

}  // namespace deepprof
