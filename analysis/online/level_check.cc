#include "analysis/online/level_check.h"

#include <algorithm>
#include <cmath>

#include "analysis/online/trial.h"

namespace deepprof {
namespace {

constexpr double kLeastDoubt = 0.6;      // confidence of one that is worth another look
constexpr size_t kFew = 7;               // iterations in a look
constexpr double kLessConfident = 0.05;  // an answer that may still overrule another

}  // namespace

void LevelCheck::plan(uint64_t given_ops) {
  *this = LevelCheck(look_ops_);
  at_ = given_ops;
}

uint64_t LevelCheck::most_next(uint64_t given_ops) const {
  if (wanted_ops_ > 0) return wanted_ops_ - ops_.size();
  return at_ > given_ops ? at_ - given_ops : kNever;
}

bool LevelCheck::take(std::span<const Event> ops, uint64_t given_ops) {
  if (wanted_ops_ == 0) {
    if (given_ops == at_) wanted_ops_ = look_ops_;
    return false;
  }
  ops_.insert(ops_.end(), ops.begin(), ops.end());
  return ops_.size() == wanted_ops_;
}

LevelCheck::Outcome LevelCheck::judge(MinedStretch& found, const Followed& followed) {
  const bool any = found.verdict == Verdict::iteration && !found.tiles.empty();
  trim(found, ops_.size(), true);
  if (!any) return Outcome::nothing;
  if (found.tiles.empty()) return doubted_ ? Outcome::nothing : doubt(0);  // longer than it can see
  const auto counted =
      followed.worth *
      static_cast<double>(try_out(followed.pattern, covered(ops_, found.tiles)).counted);
  if (is_close(static_cast<uint64_t>(std::llround(counted)), found.tiles.size()))
    return Outcome::confirmed;
  const double ratio = snapped(static_cast<double>(found.tiles.size()) / std::max(1.0, counted));
  // A look, which begins anywhere, sees less than the beginning of the run: parts are no reason.
  if (ratio >= 1) return Outcome::nothing;
  // Of few long iterations none is sure.
  const bool few = found.tiles.size() <= kFew && found.confidence >= kLeastDoubt;
  const bool as_sure = found.confidence + kLessConfident >= followed.confidence;
  if (!doubted_) return few || as_sure ? doubt(ratio) : Outcome::nothing;
  const bool agreed = ratio_ == 0 || std::abs(ratio / ratio_ - 1) < .05;
  ratio_ = ratio;
  return agreed && as_sure ? Outcome::other_level : Outcome::nothing;
}

LevelCheck::Outcome LevelCheck::doubt(double ratio) {
  doubted_ = true;
  ratio_ = ratio;
  wanted_ops_ = 2 * ops_.size();
  return Outcome::longer;
}

}  // namespace deepprof
