// What the online miner follows: the different iterations of a job, each as the string of its ops.
// Made once from a mined prefix (see consensus.h), then only read.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/pattern/agreement.h"
#include "analysis/pattern/gram_index.h"

namespace deepprof {

class Pattern {
 public:
  static constexpr uint32_t kMaxIterations = 32;
  static constexpr uint32_t kMaxOps =
      128 * 1024;  // of all iterations together: bounds what is kept by position
  // Symbols that can be read behind an iteration's end: the beginning of the one that follows it
  // most.
  static constexpr uint32_t kReadAhead = kCompared;

  Pattern() = default;
  // iterations: none empty. successors[i]: the iteration that mostly follows i. What exceeds the
  // two limits is left out, from the back.
  Pattern(std::vector<std::vector<uint32_t>> iterations, std::vector<uint32_t> successors);

  uint32_t size() const { return static_cast<uint32_t>(lengths_.size()); }
  bool empty() const { return lengths_.empty(); }
  uint32_t length(uint32_t iteration) const { return lengths_[iteration]; }
  uint32_t successor(uint32_t iteration) const { return successors_[iteration]; }
  // length() symbols, then kReadAhead more.
  const uint32_t* symbols(uint32_t iteration) const { return &symbols_[starts_[iteration]]; }
  std::span<const uint32_t> ops(uint32_t iteration) const {
    return {symbols(iteration), length(iteration)};
  }
  // Number of this op among the ops of all iterations.
  uint32_t flat(PatternPlace place) const { return flat_starts_[place.iteration] + place.position; }
  uint32_t flat_size() const { return flat_size_; }
  // How many ops two iterations have in common at their beginning.
  uint32_t common_beginning(uint32_t a, uint32_t b) const { return common_[a * size() + b]; }
  // Calls visit(place) where the kRun symbols at `symbols` occur, for the first so many places.
  static constexpr uint32_t kRun = GramIndex::kGram;
  template <typename Visit>
  void find_run(const uint32_t* run, Visit visit) const {
    grams_.find(run, [&](PatternPlace place) {
      if (std::equal(run, run + kRun, symbols(place.iteration) + place.position)) visit(place);
    });
  }

 private:
  std::vector<uint32_t> symbols_, starts_, flat_starts_, lengths_, successors_, common_;
  uint32_t flat_size_ = 0;
  GramIndex grams_;
};

}  // namespace deepprof
