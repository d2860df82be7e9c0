// The section RANKS of the summary.
#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "analysis/report/quantity.h"
#include "analysis/report/ranks.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

constexpr size_t kMostLines = 16;

std::string clocks_text(const Ranks& ranks) {
  if (ranks.files < 2) return "one clock";
  int64_t spread_ns = 0, furthest_ns = 0;
  for (const ClockOffset& clock : ranks.matched.clocks) {
    if (!clock.known) return "clocks not aligned: too few of them";
    spread_ns = std::max(spread_ns, clock.spread_ns);
    furthest_ns = std::max(furthest_ns, std::abs(clock.offset_ns));
  }
  return "ends align the clocks: " + time_text(furthest_ns) + " apart, then within " +
         time_text(spread_ns);
}

constexpr size_t kWidths[] = {11, 9, 11, 12, 11, 11};  // of the columns behind the rank

std::string in_columns(const std::string& label, size_t label_width,
                       const std::string (&cells)[6]) {
  std::string text = "  " + padded(label, label_width);
  for (size_t i = 0; i < std::size(kWidths); ++i) text += at_right(cells[i], kWidths[i]);
  return text;
}

std::string line_of_rank(const Ranks& ranks, size_t index, size_t label_width) {
  const RankFigures& rank = ranks.figures[index];
  const RankCommunication& sum = ranks.sums[index];
  const bool compared = !ranks.matched.collectives.empty();
  const auto if_compared = [&](const std::string& text) {
    return compared ? text : std::string("n/a");
  };
  const double recorded = static_cast<double>(std::max<int64_t>(1, rank.basis.recorded_ns()));
  std::string line = in_columns(
      rank.label, label_width,
      {rank.has_iterations ? time_text(rounded_mean(rank.basis.wall_ns, rank.repetitions)) : "n/a",
       percent_text(static_cast<double>(rank.basis.busy_ns()) / recorded), time_text(sum.total_ns),
       if_compared(time_text(sum.transfer_ns)), if_compared(time_text(sum.waiting_ns)),
       if_compared(count_text(static_cast<int64_t>(sum.came_last)))});
  if (sum.unmatched_ns > 0 && compared)
    line += "   and " + time_text(sum.unmatched_ns) + " not matched";
  return line;
}

std::string straggler_text(const Ranks& ranks) {
  const RankCommunication& late = ranks.sums[ranks.straggler];
  return ranks.figures[ranks.straggler].label + " came last in " +
         count_text(static_cast<int64_t>(late.came_last)) + " of " +
         count_text(static_cast<int64_t>(late.matched)) + " collectives; the others waited " +
         time_text(late.blamed_ns) +
         " for it there, on average, over the run: longer than for all the others together. Look "
         "at what it does before them.";
}

// What the columns are of: they differ.
std::string scope_text(const Ranks& ranks) {
  const bool any = std::any_of(ranks.figures.begin(), ranks.figures.end(),
                               [](const RankFigures& r) { return r.has_iterations; });
  return any ? "iteration, busy: of the mean iteration; comm and what follows: over the run, "
               "streams added"
             : "all over the run; comm: streams added";
}

}  // namespace

void ranks_part(const Ranks& ranks, Page& page) {
  const bool any = std::any_of(ranks.sums.begin(), ranks.sums.end(),
                               [](const RankCommunication& sum) { return sum.count > 0; });
  if (ranks.figures.size() < 2 || !any) return;
  const size_t matched = ranks.matched.collectives.size();
  page.heading("RANKS", format_text("%zu ranks, %s collective%s matched; %s", ranks.figures.size(),
                                    count_text(static_cast<int64_t>(matched)).c_str(),
                                    plural(matched), clocks_text(ranks).c_str()));
  size_t width = 8;
  for (const RankFigures& rank : ranks.figures)
    width = std::max(width, std::min<size_t>(24, rank.label.size()));
  page.line(
      in_columns("", width, {"iteration", "busy", "comm", "= transfer", "+ waiting", "came last"}));
  for (size_t i = 0; i < ranks.figures.size() && i < kMostLines; ++i)
    page.line(line_of_rank(ranks, i, width));
  if (ranks.figures.size() > kMostLines)
    page.line(
        format_text("  and %zu more: deepprof comm --ranks", ranks.figures.size() - kMostLines));
  page.paragraph("  note       ", scope_text(ranks));
  if (ranks.lacks_ranks()) page.paragraph("  note       ", lacking_text(ranks));
  if (matched == 0) return;
  page.paragraph("  straggler  ", ranks.straggler == kNotThere
                                      ? "none: no rank alone is waited for much"
                                      : straggler_text(ranks));
}

}  // namespace deepprof
