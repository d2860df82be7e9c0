#include "analysis/repeats/runs.h"

#include <algorithm>
#include <bit>

#include "analysis/suffix/lcp.h"
#include "analysis/suffix/suffix_array.h"

namespace deepprof {
namespace {

using Symbols = std::vector<uint32_t>;

// How many symbols two suffixes have in common at their beginning: the least of the common prefixes
// between their ranks, from a table of minima over powers of two.
class CommonPrefix {
 public:
  CommonPrefix(const Symbols& text, uint32_t alphabet)
      : size_(static_cast<uint32_t>(text.size())), rank_(size_) {
    std::vector<int32_t> sa(size_), lcp(size_), plcp(size_);
    build_suffix_array(text, alphabet, sa);
    build_lcp(text, sa, lcp, plcp);
    for (uint32_t rank = 0; rank < size_; ++rank) rank_[static_cast<uint32_t>(sa[rank])] = rank;
    minima_.push_back(std::move(lcp));
    for (uint32_t width = 1; 2 * width <= size_; width *= 2) {
      const std::vector<int32_t>& half = minima_.back();
      std::vector<int32_t> whole(size_ - 2 * width + 1);
      for (uint32_t i = 0; i < whole.size(); ++i) whole[i] = std::min(half[i], half[i + width]);
      minima_.push_back(std::move(whole));
    }
  }

  // i != j; either may be the string's size.
  uint32_t operator()(uint32_t i, uint32_t j) const {
    if (i >= size_ || j >= size_) return 0;
    const uint32_t first = std::min(rank_[i], rank_[j]) + 1,
                   last = std::max(rank_[i], rank_[j]) + 1;
    const auto level = static_cast<uint32_t>(std::bit_width(last - first) - 1);
    return static_cast<uint32_t>(
        std::min(minima_[level][first], minima_[level][last - (1u << level)]));
  }
  const Symbols& ranks() const { return rank_; }

 private:
  uint32_t size_;
  Symbols rank_;                              // by position
  std::vector<std::vector<int32_t>> minima_;  // [k][r]: of lcp[r, r + 2^k)
};

// Where the longest Lyndon word that begins at each position ends: at the next smaller suffix.
Symbols lyndon_ends(const Symbols& ranks) {
  const auto size = static_cast<uint32_t>(ranks.size());
  Symbols ends(size, size), waiting;
  for (uint32_t at = 0; at < size; ++at) {
    while (!waiting.empty() && ranks[waiting.back()] > ranks[at]) {
      ends[waiting.back()] = at;
      waiting.pop_back();
    }
    waiting.push_back(at);
  }
  return ends;
}

}  // namespace

std::vector<Run> find_runs(std::span<const uint32_t> symbols, uint32_t alphabet) {
  std::vector<Run> runs;
  const auto size = static_cast<uint32_t>(symbols.size());
  if (size < 2) return runs;
  const Symbols text(symbols.begin(), symbols.end()), reversed(symbols.rbegin(), symbols.rend());
  Symbols inverted(text);
  for (uint32_t& symbol : inverted) symbol = alphabet - 1 - symbol;
  const CommonPrefix forward(text, alphabet), backward(reversed, alphabet);
  // Every run has a Lyndon word for a period, in the order of the symbols or in the inverse one.
  for (const Symbols& ends :
       {lyndon_ends(forward.ranks()), lyndon_ends(CommonPrefix(inverted, alphabet).ranks())}) {
    for (uint32_t at = 0; at < size; ++at) {
      const uint32_t next = ends[at], period = next - at;
      const uint32_t before = backward(size - at, size - next);  // of the symbols in front of both
      const Run run{at - before, next + forward(at, next), period};
      if (run.last - run.first >= 2 * period) runs.push_back(run);
    }
  }
  std::sort(runs.begin(), runs.end());
  runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
  return runs;
}

}  // namespace deepprof
