#include "analysis/iterations/rests.h"

#include <algorithm>
#include <span>

#include "analysis/iterations/confidence.h"
#include "analysis/iterations/evidence.h"
#include "analysis/iterations/mined.h"
#include "analysis/iterations/search.h"

namespace deepprof {
namespace {

constexpr uint32_t kLeast = 100;      // ops left out that are worth a search of their own
constexpr double kLeastShare = 0.01;  // of the recording, likewise
constexpr uint32_t kShortest = 8;  // ops of a stretch that may hold something, and of an iteration
constexpr double kLittle = 0.2;    // of the usual length
constexpr double kMost = 0.8;      // of a tile that lies in one stretch
constexpr int kRounds = 3;
constexpr uint32_t kSetUp = 16;    // copies in a row by which a job sets itself up
constexpr size_t kMostAlone = 16;  // stretches searched each for itself

bool is_copied_in(Hint hint) {
  return hint == Hint::copy_to_device || hint == Hint::scalar_to_device ||
         hint == Hint::copy_unknown;
}

// Without the copies with which a job sets itself up: they are of no iteration, and a recording of
// it alone would begin behind them.
Part without_set_up(const Sequence& sequence, Part part) {
  uint32_t first = part.first, last = part.last;
  while (first < last && is_copied_in(sequence.hint(first))) ++first;
  // A scalar at their end is the first input.
  while (first > part.first && sequence.hint(first - 1) == Hint::scalar_to_device) --first;
  if (first - part.first >= kSetUp) part.first = first;
  while (last > part.first && is_copied_in(sequence.hint(last - 1))) --last;
  if (part.last - last >= kSetUp) part.last = last;
  return part;
}

// What no tile covers. Little that stands between two iterations is part of one (kernels that are
// tried) and no iteration.
std::vector<Part> left_out(const Sequence& sequence, const std::vector<Tile>& tiles) {
  const auto little = static_cast<uint32_t>(kLittle * usual_length(tiles));
  std::vector<Part> parts;
  const auto add = [&](uint32_t first, uint32_t last) {
    const Part part = without_set_up(sequence, {first, last});
    if (part.last >= part.first + kShortest) parts.push_back(part);
  };
  uint32_t at = 0;
  for (size_t i = 0; i < tiles.size(); ++i) {
    if (i == 0 || tiles[i].first - at >= little) add(at, tiles[i].first);
    at = tiles[i].last;
  }
  add(at, sequence.size());
  return parts;
}

// Stretches of a string, as one string.
class Rest {
 public:
  Rest(const Sequence& whole, std::span<const Part> parts) : whole_(whole) {
    string_.device = whole.device;
    string_.launch_order = whole.launch_order;
    string_.hints = whole.hints;
    for (const Part& part : parts) add(part.first, part.last);
  }

  const Sequence& string() const { return string_; }
  // Where a tile of the string lies in the whole; empty where most of it does not lie in one
  // stretch.
  Tile in_whole(const Tile& tile) const {
    Tile best;
    for (uint32_t first = tile.first; first < tile.last;) {
      uint32_t last = first + 1;
      while (last < tile.last && place_[last] == place_[last - 1] + 1) ++last;
      if (last - first > best.last - best.first)
        best = {place_[first], place_[last - 1] + 1, tile.partial};
      first = last;
    }
    return best.last - best.first >= kMost * (tile.last - tile.first) ? best : Tile{};
  }

 private:
  void add(uint32_t first, uint32_t last) {
    const uint32_t shift = string_.size();
    auto side = std::lower_bound(whole_.side.begin(), whole_.side.end(), first,
                                 [](const SideOp& op, uint32_t at) { return op.before < at; });
    for (; side != whole_.side.end() && side->before < last; ++side) {
      string_.side.push_back({side->before - first + shift, side->symbol});
    }
    for (uint32_t at = first; at < last; ++at) {
      string_.symbols.push_back(whole_.symbols[at]);
      string_.order.push_back(whole_.order[whole_.position(at)]);
      place_.push_back(at);
    }
  }

  const Sequence& whole_;
  Sequence string_;
  std::vector<uint32_t> place_;  // in the whole, by symbol
};

// The iterations of some stretches, added to the tiles.
class Search {
 public:
  Search(const Trace& trace, const Sequence& sequence, std::vector<Tile>& tiles)
      : trace_(trace), sequence_(sequence), tiles_(tiles) {}

  // Those that are worth a search of their own, longest first.
  std::vector<Part> worth_alone(std::vector<Part> parts) const {
    if (parts.size() < 2) return {};  // searched already
    const auto length = [](const Part& part) { return part.last - part.first; };
    std::erase_if(parts, [&](const Part& part) { return length(part) < least_; });
    std::stable_sort(parts.begin(), parts.end(),
                     [&](const Part& a, const Part& b) { return length(a) > length(b); });
    parts.resize(std::min(parts.size(), kMostAlone));
    return parts;
  }

  enum class Answer { nothing, repeats, iterations };
  Answer operator()(std::span<const Part> parts) {
    const Rest rest(sequence_, parts);
    if (rest.string().size() < least_) return Answer::nothing;
    Evidence evidence = collect_evidence(trace_, rest.string());
    const Found found = search(trace_, rest.string(), evidence, 0, rest.string().size());
    if (usual_length(found.tiles) < kShortest || found.confidence < kLeastConfidence)
      return Answer::nothing;
    if (!found.iterations || is_low(found.confidence)) return Answer::repeats;
    size_t added = 0;
    for (const Tile& tile : found.tiles) {
      const Tile placed = rest.in_whole(tile);
      if (placed.last == placed.first || is_mostly_rows(sequence_, placed.first, placed.last))
        continue;
      tiles_.push_back(placed);
      ++added;
    }
    if (added == 0) return Answer::repeats;
    std::sort(tiles_.begin(), tiles_.end(),
              [](const Tile& a, const Tile& b) { return a.first < b.first; });
    return Answer::iterations;
  }

 private:
  const Trace& trace_;
  const Sequence& sequence_;
  std::vector<Tile>& tiles_;
  const uint32_t least_ = std::max(kLeast, static_cast<uint32_t>(kLeastShare* sequence_.size()));
};

}  // namespace

bool search_rests(const Trace& trace, const Sequence& sequence,
                  const std::function<bool()>& out_of_time, std::vector<Tile>& tiles) {
  Search search_parts(trace, sequence, tiles);
  for (int round = 0; round < kRounds && !out_of_time(); ++round) {
    const std::vector<Part> parts = left_out(sequence, tiles);
    // What is the same now and then (evaluations) shows itself in all of them together, another job
    // in its stretch alone.
    Search::Answer best = search_parts(parts);
    for (const Part& part : search_parts.worth_alone(parts)) {
      if (best == Search::Answer::iterations || out_of_time()) break;
      best = std::max(best, search_parts(std::span(&part, 1)));
    }
    if (best != Search::Answer::iterations) return best == Search::Answer::repeats;
  }
  return false;
}

}  // namespace deepprof
