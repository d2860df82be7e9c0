#include "analysis/iterations/nested.h"

#include <algorithm>
#include <span>

#include "analysis/pattern/consensus.h"
#include "analysis/repeats/runs.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

constexpr size_t kVoters = 48;        // tiles from which the usual iteration is made
constexpr uint32_t kLeastBlock = 3;   // ops: shorter blocks are no part of a model
constexpr double kLeastShare = 0.05;  // of the iteration, in all blocks of a repeat
constexpr uint32_t kDeepest = 2;      // repeats inside a block of a repeat, inside a block
constexpr size_t kMost = 12;          // repeats reported

// Tiles from all of the recording, whole ones.
std::vector<OpRange> voters(const std::vector<Tile>& tiles) {
  std::vector<OpRange> result;
  const size_t step = 1 + tiles.size() / kVoters;
  for (size_t i = 0; i < tiles.size(); i += step) {
    if (!tiles[i].partial) result.push_back({tiles[i].first, tiles[i].last});
  }
  return result;
}

class Finder {
 public:
  Finder(std::span<const uint32_t> iteration, const Sequence& sequence)
      : iteration_(iteration),
        hints_(sequence.hints),
        runs_(find_runs(iteration, static_cast<uint32_t>(sequence.hints.size()))) {
    const auto least = static_cast<uint32_t>(kLeastShare * static_cast<double>(iteration.size()));
    std::erase_if(runs_, [&](const Run& run) {
      return run.period < kLeastBlock || run.last - run.first < least;
    });
    // What explains most ops first; of equals the finer one.
    std::sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) {
      const uint32_t x = a.last - a.first, y = b.last - b.first;
      return x != y ? x > y : a < b;
    });
  }

  std::vector<Nested> find() {
    add(0, static_cast<uint32_t>(iteration_.size()), 0, UINT32_MAX);
    return std::move(found_);
  }

 private:
  // Repeats within [first, last) that do not overlap, and what is in their blocks; of periods below
  // `period`.
  void add(uint32_t first, uint32_t last, uint32_t depth, uint32_t period) {
    std::vector<Run> picked;
    for (const Run& run : runs_) {
      if (run.period >= period) continue;
      const Run inside{std::max(run.first, first), std::min(run.last, last), run.period};
      if (inside.last < inside.first + 2 * inside.period) continue;
      const bool apart = std::none_of(picked.begin(), picked.end(), [&](const Run& other) {
        return inside.first < other.last && other.first < inside.last;
      });
      if (apart) picked.push_back(inside);
    }
    std::sort(picked.begin(), picked.end());
    for (const Run& run : picked) {
      if (found_.size() == kMost) return;
      found_.push_back({depth, run.first, run.period, run.count(), part(run)});
      if (depth < kDeepest) add(run.first, run.first + run.period, depth + 1, run.period);
    }
  }

  NestedPart part(const Run& run) const {
    uint32_t updates = 0;
    for (uint32_t at = run.first; at < run.first + run.period; ++at) {
      const Hint hint = hints_[iteration_[at]];
      if (hint == Hint::copy_to_device) return NestedPart::micro_step;
      updates += hint == Hint::optimizer;
    }
    return 2 * updates > run.period ? NestedPart::update : NestedPart::layer;
  }

  std::span<const uint32_t> iteration_;
  const std::vector<Hint>& hints_;
  std::vector<Run> runs_;
  std::vector<Nested> found_;
};

constexpr uint32_t kLeastLayer = 6;  // ops: a layer launches more than a few
constexpr uint32_t kManyLayers = 8;  // in a row
constexpr double kMostly = 0.5;      // of the iteration

const char* part_words(const Nested& repeat) {
  switch (repeat.part) {
    case NestedPart::layer: return repeat.ops < kLeastLayer ? "block" : "layer";
    case NestedPart::micro_step: return "micro-step";
    case NestedPart::update: return "optimizer block";
  }
  return "block";
}

}  // namespace

std::vector<Nested> find_nested(const Sequence& sequence, const std::vector<Tile>& tiles) {
  const std::vector<OpRange> ranges = voters(tiles);
  if (ranges.empty()) return {};
  const Pattern pattern = make_pattern(sequence.symbols, ranges, {}).pattern;
  if (pattern.empty()) return {};
  return Finder(pattern.ops(0), sequence).find();
}

bool holds_layers(const std::vector<Nested>& nested, uint32_t iteration_ops) {
  uint32_t ops = 0;
  for (const Nested& repeat : nested) {
    const bool layers = repeat.depth == 0 && repeat.part == NestedPart::layer &&
                        repeat.count >= kManyLayers && repeat.ops >= kLeastLayer;
    if (layers) ops += repeat.count * repeat.ops;
  }
  return ops >= kMostly * iteration_ops;
}

std::string nested_words(const std::vector<Nested>& nested) {
  std::string text;
  for (size_t i = 0; i < nested.size(); ++i) {
    const Nested& repeat = nested[i];
    const uint32_t before = i == 0 ? 0 : nested[i - 1].depth;
    if (repeat.depth > before) text += " (each ";
    for (uint32_t depth = before; depth > repeat.depth; --depth) text += ")";
    if (i > 0 && repeat.depth <= before) text += ", ";
    text += format_text("%u x %s of %u ops", repeat.count, part_words(repeat), repeat.ops);
  }
  for (uint32_t depth = nested.empty() ? 0 : nested.back().depth; depth > 0; --depth) text += ")";
  return text;
}

}  // namespace deepprof
