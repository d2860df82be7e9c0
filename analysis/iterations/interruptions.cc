#include "analysis/iterations/interruptions.h"

#include <algorithm>

namespace deepprof {
namespace {

// of a repetition, and ops: a distance that is off by more is a jump
constexpr double kJump = 0.15, kJumpOps = 8;
constexpr uint32_t kNowhere = UINT32_MAX;

class Jumps {
 public:
  Jumps(const LevelModel& level, const std::vector<Link>& chain) : level_(level), chain_(chain) {}

  // Whether the chain is off its way between link i - 1 and link i.
  bool at(size_t i) const {
    const Link &from = chain_[i - 1], &to = chain_[i];
    double expected = offset(to) - offset(from);
    if (to.landmark <= from.landmark) expected += level_.length;
    const double off = to.at - from.at - expected, most = kJump * level_.length + kJumpOps;
    return off > most || off < -most;
  }
  double offset(const Link& link) const { return level_.landmarks[link.landmark].offset; }

 private:
  const LevelModel& level_;
  const std::vector<Link>& chain_;
};

}  // namespace

std::vector<double> resumed_at(const Sequence& sequence, const LevelModel& level,
                               const std::vector<Link>& chain) {
  const Jumps jumps(level, chain);
  // One occurrence of each landmark to which the chain came undisturbed.
  std::vector<uint32_t> usual(level.landmarks.size(), kNowhere);
  for (size_t i = 2; i < chain.size(); ++i) {
    if (usual[chain[i].landmark] == kNowhere && !jumps.at(i) && !jumps.at(i - 1))
      usual[chain[i].landmark] = chain[i].at;
  }
  std::vector<double> places;
  for (size_t i = 1; i < chain.size(); ++i) {
    const uint32_t like = usual[chain[i].landmark];
    if (!jumps.at(i) || like == kNowhere) continue;
    // Ops in front of the landmark that are the usual ones there.
    const uint32_t room = std::min(chain[i].at - chain[i - 1].at, like);
    uint32_t before = 0;
    while (before < room &&
           sequence.symbols[chain[i].at - 1 - before] == sequence.symbols[like - 1 - before])
      ++before;
    double place = jumps.offset(chain[i]) - before;
    while (place < 0) place += level.length;
    places.push_back(place);
  }
  std::sort(places.begin(), places.end());
  return places;
}

}  // namespace deepprof
