#include "analysis/pattern/pattern.h"

#include <algorithm>

namespace deepprof {
namespace {

size_t within_limits(const std::vector<std::vector<uint32_t>>& iterations) {
  size_t count = 0, ops = 0;
  for (const auto& iteration : iterations) {
    ops += iteration.size();
    if (count == Pattern::kMaxIterations || ops > Pattern::kMaxOps) break;
    ++count;
  }
  return count;
}

uint32_t common_beginning_of(std::span<const uint32_t> a, std::span<const uint32_t> b) {
  const auto [end, unused] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<uint32_t>(end - a.begin());
}

}  // namespace

Pattern::Pattern(std::vector<std::vector<uint32_t>> iterations, std::vector<uint32_t> successors)
    : successors_(std::move(successors)) {
  iterations.resize(within_limits(iterations));
  const auto count = static_cast<uint32_t>(iterations.size());
  successors_.resize(count, 0);
  for (uint32_t& successor : successors_) successor = successor < count ? successor : 0;
  for (uint32_t i = 0; i < count; ++i) {
    const auto& ops = iterations[i];
    starts_.push_back(static_cast<uint32_t>(symbols_.size()));
    flat_starts_.push_back(flat_size_);
    lengths_.push_back(static_cast<uint32_t>(ops.size()));
    flat_size_ += static_cast<uint32_t>(ops.size());
    symbols_.insert(symbols_.end(), ops.begin(), ops.end());
    const auto& next = iterations[successors_[i]];
    for (uint32_t k = 0; k < kReadAhead; ++k) symbols_.push_back(next[k % next.size()]);
  }
  for (uint32_t a = 0; a < count; ++a)
    for (uint32_t b = 0; b < count; ++b) common_.push_back(common_beginning_of(ops(a), ops(b)));
  grams_.reserve(flat_size_);
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t p = 0; p < lengths_[i]; ++p) grams_.add(symbols(i) + p, {i, p});
}

}  // namespace deepprof
