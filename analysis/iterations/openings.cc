#include "analysis/iterations/openings.h"

#include <algorithm>
#include <array>

namespace deepprof {
namespace {

constexpr std::array<uint32_t, 3> kLengths = {6, 12, 24};  // symbols
constexpr double kReach = 0.1;     // of the usual length: where such stretches are sought,
constexpr uint32_t kMostOps = 64;  // but in so many ops at most
constexpr size_t kAtCut = 4;       // kept
constexpr uint32_t kParts = 4;     // of these ops: one opening of each is kept beside them
constexpr size_t kJudged = 200;    // tiles by which they are judged
constexpr double kMostlyOnce = 0.6, kHardlyMore = 0.3;  // of these tiles that hold one, and more

}  // namespace

Openings::Openings(const Sequence& sequence, const std::vector<Tile>& tiles, const Tile& usual,
                   uint32_t last)
    : sequence_(sequence), last_(last) {
  const auto tenth = static_cast<uint32_t>(kReach * (usual.last - usual.first));
  const uint32_t reach = std::min(tenth + 1, kMostOps);
  find(tiles, usual, 0, reach, kAtCut, at_cut_);
  for (uint32_t part = 1; part < kParts; ++part)
    find(tiles, usual, reach * part / kParts, reach * (part + 1) / kParts, 1, later_);
}

// The first `most` of the usual tile that stand at [from, to) of it.
void Openings::find(const std::vector<Tile>& tiles, const Tile& usual, uint32_t from, uint32_t to,
                    size_t most, std::vector<Opening>& found) const {
  most += found.size();
  for (uint32_t offset = from; offset < to && found.size() < most; offset += kLengths[0] / 2) {
    for (const uint32_t length : kLengths) {
      const Opening opening{usual.first + offset, offset, length};
      if (opening.at + length > usual.last || !opens(tiles, opening)) continue;
      found.push_back(opening);
      break;
    }
  }
}

bool Openings::opens(const std::vector<Tile>& tiles, const Opening& opening) const {
  const size_t step = 1 + tiles.size() / kJudged;
  double judged = 0, once = 0, more = 0;
  for (size_t i = 0; i < tiles.size(); i += step) {
    size_t count = 0;
    for (uint32_t at = tiles[i].first; at < tiles[i].last; ++at) count += stands(opening, at);
    ++judged;
    once += count == 1;
    more += count > 1;
  }
  return once >= kMostlyOnce * judged && more <= kHardlyMore * judged;
}

bool Openings::stands(const Opening& opening, uint32_t at) const {
  if (at + opening.length > last_) return false;
  const auto symbols = sequence_.symbols.begin();
  return symbols[opening.at] == symbols[at] &&
         std::equal(symbols + opening.at, symbols + opening.at + opening.length, symbols + at);
}

void Openings::add_marks(const Opening& opening, uint32_t from, uint32_t to,
                         std::vector<uint32_t>& marks) const {
  for (uint32_t at = from + opening.offset; at < to; ++at) {
    if (stands(opening, at)) marks.push_back(at - opening.offset);
  }
}

void Openings::add_marks(uint32_t from, uint32_t to, uint32_t near,
                         std::vector<uint32_t>& marks) const {
  const auto before = static_cast<std::ptrdiff_t>(marks.size());
  const auto divides = [&](uint32_t mark) { return mark > from + near && mark + near < to; };
  for (const Opening& opening : at_cut_) add_marks(opening, from, to, marks);
  for (const Opening& opening : later_) {
    if (std::none_of(marks.begin() + before, marks.end(), divides))
      add_marks(opening, from, to, marks);
  }
}

}  // namespace deepprof
