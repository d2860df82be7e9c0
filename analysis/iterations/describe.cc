#include "analysis/iterations/describe.h"

#include <algorithm>
#include <span>

#include "analysis/iterations/distance_opinion.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

constexpr double kSame = 1.2;           // ratio of lengths up to which levels are one
constexpr double kWorthNaming = 0.5;    // coverage of a level that is listed beside the chosen one
constexpr double kOpinionCovers = 0.8;  // coverage of a second opinion that is worth hearing
constexpr double kDoubt = 0.93;         // for a second opinion that differs
constexpr size_t kMostNamed = 6;
constexpr double kNearlyAll = 0.9;  // of the iterations: a few may skip their update

bool whole_number(double value) {
  const double nearest = static_cast<double>(static_cast<long>(value + .5));
  return nearest >= 2 && value > nearest * .97 && value < nearest * 1.03;
}

std::string about(const Weighed& level, const Weighed& chosen) {
  const double inside = chosen.level.length / level.level.length, outside = 1 / inside;
  if (inside > kSame) {
    const bool fed = level.cut[Sign::feed] >= .7 || level.cut[Sign::copy] >= .7;
    const char* what = fed ? "micro-steps" : "layers or other parts";
    return format_text("%s, about %.*f in an iteration", what, inside < 10 ? 1 : 0, inside);
  }
  if (whole_number(outside)) {
    const int count = static_cast<int>(outside + .5);
    return count == 2 ? "pairs of iterations" : format_text("groups of %d iterations", count);
  }
  return format_text("about %.1f iterations", outside);
}

// What the iterations that were laid hold, which may be more kinds than the level has.
std::string describe_updates(const Evidence& evidence, const std::vector<Tile>& tiles) {
  double runs = 0, with = 0;
  for (const Tile& tile : tiles) {
    const size_t count = evidence.updates_in(tile.first, tile.last);
    runs += static_cast<double>(count);
    with += count > 0;
  }
  const double each = runs / std::max(with, 1.0);
  std::string text = each < kSeveralUpdates ? "one optimizer run in each"
                                            : format_text("%.1f optimizer runs in each", each);
  if (with < kNearlyAll * static_cast<double>(tiles.size()))
    text += format_text(" of %.0f of %zu", with, tiles.size());
  return text;
}

}  // namespace

std::vector<Level> describe_levels(const Found& found) {
  const Weighed& chosen = *found.chosen();
  std::vector<Level> result{{chosen.level.length, static_cast<uint32_t>(found.tiles.size()),
                             chosen.coverage, found.iterations ? "iterations" : "repeating block"}};
  if (chosen.cycle.lag > 0) {
    const double cycle = chosen.cycle.lag;
    result.push_back(
        {chosen.level.length * cycle,
         static_cast<uint32_t>(static_cast<double>(found.tiles.size()) / cycle), chosen.coverage,
         chosen.cycle.lag == 2 ? "pairs of iterations that take turns"
                               : format_text("cycles of %u iterations", chosen.cycle.lag)});
  }
  // What the recording is to the op comes first, however many finer ones there are.
  std::vector<const Weighed*> levels;
  for (const Weighed& level : found.levels) levels.push_back(&level);
  std::stable_partition(levels.begin(), levels.end(),
                        [](const Weighed* level) { return level->level.run.has_value(); });
  for (const Weighed* listed : levels) {
    const Weighed& level = *listed;
    if (level.coverage < kWorthNaming || level.starts.size() < 2 || result.size() >= kMostNamed)
      continue;
    bool named = false;
    for (const Level& other : result)
      named |= level.level.length < other.ops * kSame && other.ops < level.level.length * kSame;
    if (named) continue;
    result.push_back({level.level.length, static_cast<uint32_t>(level.starts.size()),
                      level.coverage, about(level, chosen)});
  }
  return result;
}

std::string describe_decision(const Evidence& evidence, const Found& found) {
  std::string text = found.choice.decided_by;
  if (found.choice.by_updates) text = describe_updates(evidence, found.tiles);
  const int by = found.chosen()->cut.marked_by;
  if (by == Cut::kResumptions) text += "; cut where it goes on behind something else";
  if (by == Cut::kPauses) text += std::string("; cut at ") + sign_words(Sign::pause);
  if (by >= 0) {
    const Sign sign = evidence.signs[static_cast<size_t>(by)].sign;
    const bool behind = sign == Sign::update || sign == Sign::read_back;
    text += std::string(behind ? "; cut behind " : "; cut at ") + sign_words(sign);
  }
  return text;
}

double weigh_second_opinion(const Sequence& sequence, const Found& found, std::string& text) {
  const DistanceOpinion opinion =
      distance_opinion(std::span(sequence.symbols)
                           .subspan(found.window_first, found.window_last - found.window_first));
  if (opinion.coverage < kOpinionCovers) return 1;
  const double ratio = opinion.distance / found.chosen()->level.length;
  // Parts and groups are levels of the same answer; anything else is another answer.
  if (ratio < kSame || whole_number(ratio)) return 1;
  text = format_text("equal stretches of ops return every %.0f ops", opinion.distance);
  return kDoubt;
}

}  // namespace deepprof
