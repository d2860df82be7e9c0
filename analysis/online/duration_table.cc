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

// Longer ones are added one by one: of shorter ones 32 bits hold the sum of eight.
constexpr int32_t kLong_ns = int32_t{1} << 29;

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

DurationStats DurationTable::added(size_t position) const {
  DurationStats stats{
      sums_ns_[position], extremes_[position].min_ns, extremes_[position].max_ns, {}};
  std::copy_n(&counts_[position * kOctaves], kOctaves, stats.octaves.begin());
  if (borders_ns_[position] == 0) return stats;
  const uint32_t upper = octave_beginning_at(borders_ns_[position]);
  stats.octaves[upper - 1] = lower_[position];
  stats.octaves[upper] = upper_[position];
  return stats;
}

DurationStats DurationTable::operator[](size_t position) const {
  DurationStats stats = added(position);
  for (size_t row = 0; row < waiting_; ++row) {
    const int32_t duration_ns = rows_[row * size() + position];
    if (duration_ns != kMissing) stats.add(duration_ns);
  }
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
  sums_ns_[position] += duration_ns;
  add_extremes(position, duration_ns, duration_ns);
  add_octave(position, in_32_bits(duration_ns));
}

void DurationTable::add(size_t first, std::span<const int32_t> durations_ns) {
  if (put_in_row(first, durations_ns)) {
    if (++waiting_ == kRows) add_rows();
    return;
  }
  for (size_t i = 0; i < durations_ns.size(); ++i)
    if (durations_ns[i] != kMissing) add(first + i, int64_t{durations_ns[i]});
}

// False: they are too few to be worth a row, or some are long.
bool DurationTable::put_in_row(size_t first, std::span<const int32_t> durations_ns) {
  if (durations_ns.size() < size() / 4) return false;
  if (rows_.empty()) rows_.resize(kRows * size());
  int32_t* row = &rows_[waiting_ * size()];
  int32_t bits = 0;
  for (size_t i = 0; i < durations_ns.size(); ++i) {
    const int32_t duration = durations_ns[i];
    bits |= duration & ~(duration >> 31);
    row[first + i] = duration;
  }
  std::fill_n(row, first, kMissing);
  std::fill(row + first + durations_ns.size(), row + size(), kMissing);
  return bits < kLong_ns;
}

void DurationTable::add_rows() {
  Rare rare;
  for (size_t first = 0; first < size(); first += kChunk) {
    const size_t count = std::min(kChunk, size() - first);
    add_usual(first, count, rare);
    for (size_t i = 0; i < count && rare.extremes; ++i)
      if (rare.least_ns[i] <= rare.most_ns[i])  // some were seen
        add_extremes(first + i, rare.least_ns[i], rare.most_ns[i]);
    if (!rare.octaves) continue;
    for (size_t i = 0; i < count; ++i) {
      if (rare.unusual[i] == 0) continue;
      for (size_t row = 0; row < kRows; ++row) {
        const int32_t duration_ns = rows_[row * size() + first + i];
        if (duration_ns != kMissing) add_octave(first + i, duration_ns);
      }
    }
  }
  waiting_ = 0;
}

// All but new extremes and octaves that are not the usual ones. Where none was seen the least is
// INT32_MAX and the most 0: neither is an extreme.
DEEPPROF_VECTOR_CLONES
void DurationTable::add_usual(size_t first, size_t count, Rare& rare) {
  const size_t stride = size();
  const int32_t* rows = &rows_[first];
  const int32_t* least_ns = &least_ns_[first];
  const int32_t* most_ns = &most_ns_[first];
  const int32_t* borders = &borders_ns_[first];
  int64_t* sums = &sums_ns_[first];
  uint32_t* lower = &lower_[first];
  uint32_t* upper = &upper_[first];
  int32_t* rare_least = rare.least_ns.data();
  int32_t* rare_most = rare.most_ns.data();
  int32_t* rare_unusual = rare.unusual.data();
  int32_t extremes = 0, octaves = 0;  // negative where an op is unusual
  DEEPPROF_INDEPENDENT
  for (size_t i = 0; i < count; ++i) {
    const int32_t border = borders[i];
    uint32_t sum = 0, least = INT32_MAX;
    int32_t most = 0, unseen = 0, below = 0;  // the last two count downwards
    for (size_t row = 0; row < kRows; ++row) {
      const int32_t duration = rows[row * stride + i];
      const int32_t missing = duration >> 31;  // all bits, or none
      sum += static_cast<uint32_t>(duration & ~missing);
      unseen += missing;
      least = std::min(least, static_cast<uint32_t>(duration));
      most = std::max(most, duration);
      below += (duration - border) >> 31;
    }
    const auto shortest = static_cast<int32_t>(least);
    const int32_t from = std::clamp(shortest, kShortest_ns, kLongest_ns);
    const int32_t to = std::clamp(most, kShortest_ns, kLongest_ns);
    const int32_t unusual = ((from - (border >> 1)) >> 31) | ~((to - (border << 1)) >> 31);
    const auto above = static_cast<int32_t>(kRows) + below;
    upper[i] += static_cast<uint32_t>(above & ~unusual);
    lower[i] += static_cast<uint32_t>((unseen - below) & ~unusual);
    sums[i] += sum;
    extremes |= (shortest - least_ns[i]) | (most_ns[i] - most);
    octaves |= unusual;
    rare_least[i] = shortest;
    rare_most[i] = most;
    rare_unusual[i] = unusual;
  }
  rare.extremes = extremes < 0;
  rare.octaves = octaves < 0;
}

void DurationTable::add_extremes(size_t position, int64_t least_ns, int64_t most_ns) {
  Extremes& extremes = extremes_[position];
  if (least_ns < extremes.min_ns) {
    extremes.min_ns = least_ns;
    least_ns_[position] = in_32_bits(least_ns);
  }
  if (most_ns > extremes.max_ns) {
    extremes.max_ns = most_ns;
    most_ns_[position] = in_32_bits(most_ns);
  }
}

void DurationTable::add_octave(size_t position, int32_t duration_ns) {
  const int32_t border = borders_ns_[position];
  const int32_t within = std::clamp(duration_ns, kShortest_ns, kLongest_ns);
  if (within >= border / 2 && within < 2 * border) {
    ++(within < border ? lower_ : upper_)[position];
    return;
  }
  const uint32_t octave = octave_of(duration_ns);
  const uint32_t count = ++counts_[position * kOctaves + octave];
  if (count <= lower_[position] + upper_[position]) return;
  // The neighbour is that of the nearer border.
  const bool upper_half = octave > 0 && duration_ns - begin_ns(octave) > begin_ns(octave) / 2;
  settle_octaves(position,
                 octave == 0 || (upper_half && octave + 1 < kOctaves) ? octave + 1 : octave);
}

void DurationTable::settle_octaves(size_t position, uint32_t upper_octave) {
  DurationStats stats = added(position);
  lower_[position] = std::exchange(stats.octaves[upper_octave - 1], 0);
  upper_[position] = std::exchange(stats.octaves[upper_octave], 0);
  std::copy(stats.octaves.begin(), stats.octaves.end(), &counts_[position * kOctaves]);
  borders_ns_[position] = begin_ns(upper_octave);
}

}  // namespace deepprof
