// SA-IS with the suffix array itself as workspace. Types are told by comparing neighbours, never
// stored. (L, S, LMS and the sentinel: see lms_index.h.)
//
// Entries of `sa` during a scan: 0 is empty (or suffix 0, which induces nothing); p > 0 is a suffix
// whose left neighbour this scan must induce; p with the sign bit set is one that it must pass
// over.
#include "analysis/suffix/suffix_array.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "analysis/suffix/lms_index.h"
#include "analysis/suffix/page_array.h"

namespace deepprof {
namespace {

constexpr int32_t kMark = std::numeric_limits<int32_t>::min();
constexpr int32_t kPosition = std::numeric_limits<int32_t>::max();

// Scans read the text at random. Entries this far ahead are prefetched: the latency of memory over
// the few nanoseconds that one step takes.
constexpr int32_t kPrefetchDistance = 64;

template <typename Symbol>
struct Level {
  const Symbol* text;
  int32_t n;
  int32_t* sa;
  int32_t alphabet;
  int32_t* starts;      // alphabet + 1: where each symbol's bucket starts
  int32_t* fill;        // alphabet: where the next suffix of a bucket goes
  int32_t* lms_counts;  // alphabet: LMS suffixes that start with the symbol
};

int32_t marked_if(bool condition, int32_t position) {
  return condition ? position | kMark : position;
}

template <typename Symbol>
void count_symbols(const Level<Symbol>& level) {
  std::fill_n(level.starts, level.alphabet + 1, 0);
  for (int32_t i = 0; i < level.n; ++i) ++level.starts[level.text[i] + 1];
  for (int32_t c = 0; c < level.alphabet; ++c) level.starts[c + 1] += level.starts[c];
}

template <typename Symbol>
void fill_from_starts(const Level<Symbol>& level) {
  std::copy_n(level.starts, level.alphabet, level.fill);
}

template <typename Symbol>
void fill_from_ends(const Level<Symbol>& level) {
  std::copy_n(level.starts + 1, level.alphabet, level.fill);
}

// Puts every LMS suffix at the end of its bucket, in no order within it. Returns how many there
// are.
template <typename Symbol>
int32_t scatter_lms(const Level<Symbol>& level, const LmsIndex& lms) {
  fill_from_ends(level);
  std::fill_n(level.sa, level.n, 0);
  int32_t count = 0;
  lms.for_each([&](int32_t position) {
    level.sa[--level.fill[level.text[position]]] = position;
    ++count;
  });
  for (int32_t c = 0; c < level.alphabet; ++c)
    level.lms_counts[c] = level.starts[c + 1] - level.fill[c];
  return count;
}

// What inducing from an entry reads. Only the address: GCC 12 takes a function that does nothing
// but prefetch for one without effect, and drops the call.
template <typename Symbol>
const Symbol* text_read_by(const Symbol* text, int32_t entry) {
  return text + std::max(entry, 2) - 2;
}

// Left to right: every entry induces its L neighbour at the front of that symbol's bucket. kKeep:
// the entries stay for the final order. Otherwise only those that the scan back needs stay.
template <bool kKeep, typename Symbol>
void induce_l(const Level<Symbol>& level) {
  const Symbol* text = level.text;
  int32_t* sa = level.sa;
  int32_t* fill = level.fill;
  fill_from_starts(level);
  const auto induce = [&](int32_t position) {  // the suffix at `position`, known to be L
    const Symbol c = text[position];
    const Symbol left = text[position - (position > 0)];
    sa[fill[c]++] = marked_if(left < c, position);
  };
  induce(level.n - 1);
  const auto step = [&](int32_t i) {
    const int32_t entry = sa[i];
    sa[i] = kKeep ? entry ^ kMark : entry < 0 ? entry & kPosition : 0;
    if (entry > 0) induce(entry - 1);
  };
  const int32_t ahead = std::max(level.n - 2 * kPrefetchDistance, 0);
  int32_t i = 0;
  for (; i < ahead; ++i) {
    __builtin_prefetch(&sa[i + 2 * kPrefetchDistance]);
    __builtin_prefetch(text_read_by(text, sa[i + kPrefetchDistance]));
    step(i);
  }
  for (; i < level.n; ++i) step(i);
}

// Right to left: every entry induces its S neighbour at the back of that symbol's bucket. kKeep:
// leaves the final order. Otherwise gathers the LMS suffixes, ordered by their LMS substrings, at
// the end of `sa`.
template <bool kKeep, typename Symbol>
void induce_s(const Level<Symbol>& level) {
  const Symbol* text = level.text;
  int32_t* sa = level.sa;
  int32_t* fill = level.fill;
  int32_t* sorted_lms = sa + level.n;
  fill_from_ends(level);
  const auto step = [&](int32_t i) {
    const int32_t entry = sa[i];
    if constexpr (kKeep) {
      sa[i] = entry & kPosition;
    } else if (entry < 0) {
      *--sorted_lms = entry & kPosition;  // never below i: those entries have been read
    }
    if (entry > 0) {
      const int32_t position = entry - 1;
      const Symbol c = text[position];
      const Symbol left = text[position - (position > 0)];
      sa[--fill[c]] = marked_if(left > c, position);
    }
  };
  int32_t i = level.n - 1;
  for (; i >= 2 * kPrefetchDistance; --i) {
    __builtin_prefetch(&sa[i - 2 * kPrefetchDistance]);
    __builtin_prefetch(text_read_by(text, sa[i - kPrefetchDistance]));
    step(i);
  }
  for (; i >= 0; --i) step(i);
}

template <typename Symbol>
bool equal_symbols(const Symbol* a, const Symbol* b, int32_t length) {
  int32_t i = 0;
  while (i < length && a[i] == b[i]) ++i;
  return i == length;
}

// The front of `sa` holds the `count` LMS suffixes ordered by LMS substring. Equal substrings get
// equal names from 0 on, in that order. Leaves the names in text order behind them, and returns how
// many different ones there are.
template <typename Symbol>
int32_t name_lms_substrings(const Level<Symbol>& level, const LmsIndex& lms, int32_t count) {
  const Symbol* text = level.text;
  const int32_t* sorted = level.sa;
  // One slot for two positions, for LMS suffixes are never neighbours: first the length of the
  // substring (unequal ones save the comparison), then the name.
  int32_t* slots = level.sa + count;
  int32_t last = 0;
  lms.for_each([&](int32_t position) {
    slots[last >> 1] = position - last + 1;
    last = position;
  });
  slots[last >> 1] = 0;  // this one's substring holds the sentinel: unlike any other

  int32_t name = -1, previous = 0, previous_length = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (i + kPrefetchDistance < count) {
      __builtin_prefetch(&slots[sorted[i + kPrefetchDistance] >> 1], 1);
      __builtin_prefetch(&text[sorted[i + kPrefetchDistance]]);
    }
    const int32_t position = sorted[i];
    const int32_t length = slots[position >> 1];
    const bool same = length == previous_length && length > 0 &&
                      equal_symbols(text + position, text + previous, length);
    name += !same;
    slots[position >> 1] = name;
    previous = position;
    previous_length = length;
  }
  int32_t* names =
      slots;  // the k-th position is over 2 * k: no slot is overwritten before it is read
  lms.for_each([&](int32_t position) { *names++ = slots[position >> 1]; });
  return name + 1;
}

// Spreads the `lms` sorted LMS suffixes at the front of `sa` to the ends of their buckets; the rest
// is 0.
template <typename Symbol>
void spread_lms(const Level<Symbol>& level, int32_t lms) {
  int32_t* sa = level.sa;
  int32_t source = lms, clear_to = level.n;
  for (int32_t c = level.alphabet - 1; c >= 0; --c) {
    const int32_t count = level.lms_counts[c];
    if (count == 0) continue;
    const int32_t end = level.starts[c + 1];
    std::fill(sa + end, sa + clear_to, 0);
    source -= count;
    clear_to = end - count;
    std::memmove(sa + clear_to, sa + source, sizeof(*sa) * static_cast<size_t>(count));
  }
  std::fill(sa, sa + clear_to, 0);
}

template <typename Symbol>
void sort_suffixes(const Symbol* text, int32_t n, int32_t alphabet, int32_t* sa,
                   std::span<int32_t> spare);

// Puts the `count` LMS suffixes in order at the front of `sa`.
template <typename Symbol>
void sort_lms(const Level<Symbol>& level, const LmsIndex& lms, int32_t count) {
  int32_t* sa = level.sa;
  induce_l<false>(level);
  induce_s<false>(level);
  std::memmove(sa, sa + level.n - count, sizeof(*sa) * static_cast<size_t>(count));
  const int32_t names = name_lms_substrings(level, lms, count);
  if (names == count) return;
  // The names are the text of the next level.
  const auto* reduced = reinterpret_cast<const uint32_t*>(sa + count);
  const std::span<int32_t> spare(sa + 2 * count, static_cast<size_t>(level.n - 2 * count));
  sort_suffixes(reduced, count, names, sa, spare);

  int32_t* positions = sa + count;
  lms.for_each([next = positions](int32_t position) mutable { *next++ = position; });
  for (int32_t i = 0; i < count; ++i) {
    if (i + kPrefetchDistance < count) __builtin_prefetch(&positions[sa[i + kPrefetchDistance]]);
    sa[i] = positions[sa[i]];
  }
}

// `spare`: memory that may be overwritten, used for the buckets where it suffices.
template <typename Symbol>
void sort_suffixes(const Symbol* text, int32_t n, int32_t alphabet, int32_t* sa,
                   std::span<int32_t> spare) {
  const size_t bucket_values = 3 * static_cast<size_t>(alphabet) + 1;
  PageArray<int32_t> own(spare.size() >= bucket_values ? 0 : bucket_values);
  int32_t* buckets = own.size() > 0 ? own.data() : spare.data();
  const Level<Symbol> level{text,
                            n,
                            sa,
                            alphabet,
                            buckets,
                            buckets + alphabet + 1,
                            buckets + 2 * static_cast<size_t>(alphabet) + 1};
  count_symbols(level);
  const LmsIndex lms(text, n);
  const int32_t count = scatter_lms(level, lms);
  if (count > 1) {
    sort_lms(level, lms, count);
    spread_lms(level, count);
  }
  induce_l<true>(level);
  induce_s<true>(level);
}

}  // namespace

void build_suffix_array(std::span<const uint32_t> text, uint32_t alphabet, std::span<int32_t> sa) {
  if (text.empty()) return;
  const auto n = static_cast<int32_t>(text.size());
  const auto symbols = static_cast<int32_t>(alphabet);
  if (alphabet > uint32_t{1} << 16) {
    sort_suffixes(text.data(), n, symbols, sa.data(), {});
    return;
  }
  PageArray<uint16_t> narrow(text.size());
  std::copy(text.begin(), text.end(), narrow.begin());
  sort_suffixes(narrow.data(), n, symbols, sa.data(), {});
}

}  // namespace deepprof
