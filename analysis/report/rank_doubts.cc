// Whether files that are set beside each other are ranks of one job at all: nothing in a file says
// so for sure, but ranks run the same program at the same time and spend it in the same kernels.
#include <algorithm>
#include <unordered_set>

#include "analysis/report/ranks.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

// Ranks of the corpus' one job have over 0.9 of their compute time in kernels of the same name,
// files of different jobs at most 0.55, mostly under 0.2. Stages of a pipeline have their layers in
// common.
constexpr double kAlike = 0.5;
constexpr double kAlikeByWord = 0.25;  // where the files name ranks of a job of one size
// Clocks of machines are apart, and not every rank is recorded for the same part of the run.
constexpr int64_t kApart_ns = 600'000'000'000;

double share_in(const RankFigures& rank, const RankFigures& other) {
  std::unordered_set<NameId> names;
  for (const auto& [name, ns] : other.compute) names.insert(name);
  int64_t all_ns = 0, common_ns = 0;
  for (const auto& [name, ns] : rank.compute) {
    all_ns += ns;
    if (names.contains(name)) common_ns += ns;
  }
  return all_ns > 0 ? static_cast<double>(common_ns) / static_cast<double>(all_ns) : 1;
}

std::string age_text(int64_t ns) {
  const double minutes = static_cast<double>(ns) / 60e9;
  return minutes < 120         ? format_text("%.0f minutes", minutes)
         : minutes < 48 * 60.0 ? format_text("%.0f hours", minutes / 60)
                               : format_text("%.0f days", minutes / 60 / 24);
}

std::string doubt_about(const RankFigures& a, const RankFigures& b) {
  const std::string &first = a.label, &second = b.label;
  const bool sized = a.world_size > 0 && b.world_size > 0;
  if (sized && a.world_size != b.world_size)
    return first + format_text(" is of %d, ", a.world_size) + second +
           format_text(" of %d", b.world_size);
  if (!sized && !a.program.empty() && !b.program.empty() && a.program != b.program)
    return first + " runs " + a.program + ", " + second + " " + b.program;
  if (a.ran_at && b.ran_at) {
    const int64_t apart_ns =
        std::max(a.ran_at->start_ns - b.ran_at->end_ns, b.ran_at->start_ns - a.ran_at->end_ns);
    if (apart_ns > kApart_ns)
      return first + " and " + second + " were recorded " + age_text(apart_ns) + " apart";
  }
  const double alike = std::max(share_in(a, b), share_in(b, a));
  if (alike < (sized ? kAlikeByWord : kAlike))
    return first + " and " + second + " have at most " + percent_text(alike) +
           " of their compute time in kernels of the same name";
  return {};
}

}  // namespace

std::string Ranks::of_several_jobs() const {
  for (const RankFigures& rank : figures) {
    if (rank.file == figures[0].file) continue;
    if (const std::string why = doubt_about(figures[0], rank); !why.empty())
      return "are these ranks of one job? " + why;
  }
  return {};
}

}  // namespace deepprof
