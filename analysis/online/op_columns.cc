#include "analysis/online/op_columns.h"

#include <algorithm>
#include <bit>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace deepprof {
namespace {

// Of ops in a row.
struct Read {
  int64_t end_ns;          // until when the device is busy, given until when it was
  int64_t idle_ns = 0;     // before an op
  int64_t backward = 0;    // negative where an op ends before the one before it
  uint64_t durations = 0;  // the bits that any has
};

void read_each(std::span<const Event> ops, NameId* names, int32_t* durations_ns, Read& read) {
  for (const Event& op : ops) {
    const int64_t duration = op.duration_ns(), end = op.start_ns + duration;
    read.idle_ns += std::max<int64_t>(op.start_ns - read.end_ns, 0);
    read.backward |= end - read.end_ns;
    read.end_ns = std::max(read.end_ns, end);
    read.durations |= static_cast<uint64_t>(duration);
    *names++ = op.name;
    *durations_ns++ = static_cast<int32_t>(duration);
  }
}

#if defined(__x86_64__)
const bool kVectors = __builtin_cpu_supports("avx2") != 0;

using Words = __m256i;  // four of 64 bits, one of each of four ops

// The three words of four events: start; duration and kind; correlation and name.
struct Words3 {
  Words start, duration, name;
};
static_assert(std::endian::native == std::endian::little);
static_assert(offsetof(Event, start_ns) == 0 && offsetof(Event, duration_lo) == 8 &&
              offsetof(Event, duration_hi) == 12 && offsetof(Event, name) == 20);

[[gnu::target("avx2"), gnu::always_inline]] inline Words3 words_of(const Event* ops) {
  const auto* halves = reinterpret_cast<const __m128i*>(ops);  // two an event
  const auto both = [halves](size_t a, size_t b) __attribute__((target("avx2"), always_inline)) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(halves + a)),
                                   _mm_loadu_si128(halves + b), 1);
  };
  const Words first_02 = both(0, 4), first_13 = both(2, 6);
  const Words second_02 = both(1, 5), second_13 = both(3, 7);
  return {_mm256_unpacklo_epi64(first_02, first_13), _mm256_unpackhi_epi64(first_02, first_13),
          _mm256_unpacklo_epi64(second_02, second_13)};
}

// The even or the odd halves of eight words.
template <int kHalves>
[[gnu::target("avx2"), gnu::always_inline]] inline void store_halves(Words a, Words b, void* to) {
  const Words mixed = _mm256_castps_si256(
      _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), kHalves));
  _mm256_storeu_si256(static_cast<Words*>(to), _mm256_permute4x64_epi64(mixed, 0xd8));
}
constexpr int kEven = 0x88, kOdd = 0xdd;

// As read_each(), as long as no op ends before the one before it; a multiple of kAtOnce ops. So
// none waits for another's result.
constexpr size_t kAtOnce = 8;
[[gnu::target("avx2")]] void read_ascending(std::span<const Event> ops, NameId* names,
                                            int32_t* durations_ns, Read& read) {
  const Words mask = _mm256_set1_epi64x(Event::kMaxDuration_ns), zero = _mm256_setzero_si256();
  Words last = _mm256_set1_epi64x(read.end_ns), idle = zero, backward = zero, all = zero;
  for (size_t i = 0; i < ops.size(); i += kAtOnce) {
    Words3 words[2] = {words_of(&ops[i]), words_of(&ops[i + 4])};
    for (Words3& four : words) {
      four.duration = _mm256_and_si256(four.duration, mask);
      all = _mm256_or_si256(all, four.duration);
      const Words end = _mm256_add_epi64(four.start, four.duration);
      const Words turned = _mm256_permute4x64_epi64(end, 0x93);  // the last of them in front
      const Words before = _mm256_blend_epi32(turned, last, 3);
      last = turned;
      const Words gap = _mm256_sub_epi64(four.start, before);
      idle = _mm256_add_epi64(idle, _mm256_and_si256(gap, _mm256_cmpgt_epi64(gap, zero)));
      backward = _mm256_or_si256(backward, _mm256_sub_epi64(end, before));
    }
    store_halves<kOdd>(words[0].name, words[1].name, names + i);
    store_halves<kEven>(words[0].duration, words[1].duration, durations_ns + i);
  }
  int64_t idle_of[4], backward_of[4];
  uint64_t durations_of[4];
  _mm256_storeu_si256(reinterpret_cast<Words*>(idle_of), idle);
  _mm256_storeu_si256(reinterpret_cast<Words*>(backward_of), backward);
  _mm256_storeu_si256(reinterpret_cast<Words*>(durations_of), all);
  for (size_t i = 0; i < 4; ++i) {
    read.idle_ns += idle_of[i];
    read.backward |= backward_of[i];
    read.durations |= durations_of[i];
  }
  if (!ops.empty()) read.end_ns = ops.back().end_ns();
}
#endif

}  // namespace

void OpColumns::read(std::span<const Event> ops) {
  constexpr size_t kChunk = 256;
  count_ = ops.size();
  if (names_.size() < ops.size() + kReadBehind) {
    names_.resize(ops.size() + kReadBehind);
    durations_ns_.resize(ops.size() + kReadBehind);
  }
  if (!any_ && !ops.empty()) busy_until_ns_ = ops.front().start_ns;
  any_ |= !ops.empty();
  const int64_t busy_before_ns = busy_until_ns_;
  int64_t idle_ns = 0;
  uint64_t durations = 0;
  size_t first = 0;
  // Those that come again would not ascend: the chunks that hold them were read twice.
  for (; first < ops.size() && ops[first].end_ns() <= busy_until_ns_; ++first) {
    names_[first] = ops[first].name;
    durations_ns_[first] = static_cast<int32_t>(ops[first].duration_ns());
    durations |= static_cast<uint64_t>(ops[first].duration_ns());
  }
  for (; first < ops.size(); first += kChunk) {
    const auto chunk = ops.subspan(first, std::min(kChunk, ops.size() - first));
    Read read{busy_until_ns_};
    size_t done = 0;
#if defined(__x86_64__)
    if (kVectors && ascending_) {
      done = chunk.size() / kAtOnce * kAtOnce;
      read_ascending(chunk.first(done), &names_[first], &durations_ns_[first], read);
      if (read.backward < 0) read = {busy_until_ns_}, done = 0;
    }
#endif
    read_each(chunk.subspan(done), &names_[first + done], &durations_ns_[first + done], read);
    ascending_ = read.backward >= 0;
    idle_ns += read.idle_ns;
    durations |= read.durations;
    busy_until_ns_ = read.end_ns;
  }
  all_short_ = durations < INT32_MAX;
  busy_ns_ = busy_until_ns_ - busy_before_ns - idle_ns;
}

}  // namespace deepprof
