#include "analysis/iterations/cycle.h"

#include <algorithm>
#include <vector>

namespace deepprof {
namespace {

constexpr uint32_t kLongest = 16;
constexpr double kAgree = 0.35;  // of the neighbours' distance

uint32_t find_lag(const Contents& contents) {
  if (contents.size() < 3) return 0;
  const size_t complete = contents.size() - 1;
  const double least = kAgree * contents.mean_distance(1, complete);
  for (uint32_t lag = 2; lag <= kLongest && complete >= 2 * lag + 1; ++lag) {
    if (contents.mean_distance(lag, complete, least) < least) return lag;
  }
  return 0;
}

// A result is read and memory is cleared at any time.
bool tells(Hint hint) { return hint != Hint::copy_to_host && hint != Hint::fill; }

bool comes_once(const Sequence& sequence, const Contents& contents, uint32_t lag) {
  const size_t complete = contents.size() - 1;
  // Of each symbol, in how many repetitions at each place of the cycle it stands.
  std::vector<uint32_t> standing(sequence.hints.size() * lag, 0);
  for (size_t i = 0; i < complete; ++i) {
    for (const Contents::Count& count : contents.counts(i))
      ++standing[count.symbol * lag + i % lag];
  }
  for (size_t symbol = 0; symbol < sequence.hints.size(); ++symbol) {
    if (!tells(sequence.hints[symbol])) continue;
    uint32_t places = 0;
    for (size_t place = 0; place < lag; ++place) {
      const size_t repetitions = (complete - place + lag - 1) / lag;
      places += 2 * standing[symbol * lag + place] > repetitions;
    }
    if (places == 1) return true;
  }
  return false;
}

}  // namespace

Cycle find_cycle(const Sequence& sequence, const Contents& contents) {
  Cycle cycle;
  cycle.lag = find_lag(contents);
  cycle.once = cycle.lag > 0 && comes_once(sequence, contents, cycle.lag);
  return cycle;
}

}  // namespace deepprof
