#include "analysis/online/whole_run.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>

#include "analysis/categories/readable_name.h"
#include "analysis/iterations/mined.h"
#include "analysis/model/spells.h"
#include "analysis/online/run_statistics_blob.h"
#include "analysis/online/untime_spells.h"
#include "analysis/report/quantity.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"
#include "libdeepprof/upper_median.h"

namespace deepprof {
namespace {

constexpr size_t kMostKinds = 4, kMostNames = 6;

std::string counted(uint64_t count) { return count_text(static_cast<int64_t>(count)); }

std::string share(double part, double whole) { return percent_text(whole > 0 ? part / whole : 0); }

// "2,677,043 of 747 ops   median 2.26 ms   mean ...": nothing but the count where none was timed.
std::string iteration_words(const IterationStats& stats) {
  std::string text = counted(stats.count) + " of ";
  text += stats.ops.empty() ? "various lengths" : counted(stats.ops.size()) + " ops";
  if (const double each = 1 / stats.worth(); each > 1.01)
    text += format_text(", %.3g to an iteration", each);
  const DurationHistogram& time = stats.time;
  if (time.count() == 0) return text;
  const auto add = [&](const char* word, double ns) {
    text += format_text("   %s ", word) + time_text(static_cast<int64_t>(ns));
  };
  add("median", static_cast<double>(time.quantile_ns(.5)));
  add("mean", time.mean_ns());
  add("p95", static_cast<double>(time.quantile_ns(.95)));
  add("p99", static_cast<double>(time.quantile_ns(.99)));
  add("max", static_cast<double>(time.max_ns()));
  return text;
}

// Repetitions of all kinds, as iterations.
double of_kinds(const RunStatistics& run) {
  double count = static_cast<double>(run.varying.count);
  for (const IterationStats& kind : run.iterations)
    count += static_cast<double>(kind.count) * kind.worth();
  return count;
}

// The kinds are what followed a pattern; the count has what was mined and did not follow it, too.
std::string apart_words(const RunStatistics& run) {
  const double apart = static_cast<double>(run.counted) - of_kinds(run);
  if (std::abs(apart) < .5) return {};
  constexpr double kMost = 1e15;  // of what a damaged file says
  const auto count = static_cast<uint64_t>(std::llround(std::min(std::abs(apart), kMost)));
  return apart > 0 ? counted(count) + " of them followed no kind"
                   : "all kinds together hold " + counted(count) +
                         " more, which what was mined does not take for iterations";
}

// How many, how sure, and why: "900, confidence high, by what was mined of it: one optimizer
// run in each of 480 of 602". The reason counts what was mined, not the run.
std::string verdict_words(const RunStatistics& run) {
  switch (run.verdict) {
    case Verdict::none: return "no iteration structure was found while the job ran";
    case Verdict::repeating_block:
      return "none: ops repeat, but nothing shows that what repeats is an iteration";
    case Verdict::iteration: break;
  }
  return counted(run.counted) + ", confidence " + confidence_word(run.confidence()) +
         ", by what was mined of it: " + run.decided_by;
}

// `holes`: where raw events are missing.
std::string slow_words(const IterationStats& stats, std::span<const Hole> holes) {
  std::string text =
      counted(stats.slow_count) + " of " + counted(stats.time.count()) + ", the longest are";
  for (size_t i = 0; i < std::min<size_t>(stats.slow.size(), 4); ++i) {
    const SlowInRun& slow = stats.slow[i];
    const bool gone = touches_hole(holes, slow.start_ns, slow.start_ns + slow.duration_ns);
    text += format_text(" %s (%s%s)", counted(slow.number).c_str(),
                        time_text(slow.duration_ns).c_str(), gone ? ", not recorded" : "");
  }
  return text;
}

// How long iterations of one kind take in some slices.
struct KindOverSlices {
  uint64_t iterations = 0;
  double time_ns = 0;
  std::vector<double> means_ns;  // of each slice that has such iterations

  // The middle one of the slices: a stall in one of them is no trend.
  double usual_ns() const { return upper_median(means_ns); }
};

std::map<uint32_t, KindOverSlices> kinds_of(std::span<const RunSlice> slices) {
  std::map<uint32_t, KindOverSlices> kinds;
  for (const RunSlice& slice : slices) {
    for (const KindInSlice& part : slice.kinds) {
      if (part.iterations == 0 || part.time_ns <= 0) continue;
      KindOverSlices& kind = kinds[part.kind];
      kind.iterations += part.iterations;
      kind.time_ns += static_cast<double>(part.time_ns);
      kind.means_ns.push_back(static_cast<double>(part.time_ns) /
                              static_cast<double>(part.iterations));
    }
  }
  return kinds;
}

// Iteration time in the last tenth of the run's slices against the first tenth, of the one kind
// that takes most of their time: how many there are of each kind is no trend. The first slice is
// left out: a job warms up in it.
std::string trend_words(const RunStatistics& run) {
  constexpr uint64_t kFewest = 20;  // iterations in either tenth
  const size_t tenth = run.slices.size() / 10;
  if (tenth < 2) return {};
  const std::span<const RunSlice> slices = run.slices;
  const auto before = kinds_of(slices.subspan(1, tenth)), after = kinds_of(slices.last(tenth));
  double most_ns = 0, change = 0;
  for (const auto& [kind, first] : before) {
    const auto last = after.find(kind);
    if (last == after.end() || std::min(first.iterations, last->second.iterations) < kFewest)
      continue;
    const double all_ns = first.time_ns + last->second.time_ns;
    if (all_ns <= most_ns) continue;
    most_ns = all_ns;
    change = last->second.usual_ns() / first.usual_ns() - 1;
  }
  if (most_ns == 0) return {};
  return format_text("%+.1f %% iteration time, first to last tenth of the run", 100 * change) +
         (before.size() > 1 || after.size() > 1 ? ", of the kind that takes most of it" : "");
}

// What the file holds of a device's run.
struct Left {
  int64_t first_start_ns = INT64_MAX, last_end_ns = 0;

  int64_t span_ns() const { return last_end_ns - first_start_ns; }
};

std::map<uint16_t, Left> left_of(const Trace& trace) {
  std::map<uint16_t, Left> devices;
  for (const Op& op : trace.ops) {
    Left& left = devices[op.device];
    left.first_start_ns = std::min(left.first_start_ns, op.start_ns);
    left.last_end_ns = std::max(left.last_end_ns, op.end_ns());
  }
  return devices;
}

// `stored`: it was counted, in statistics that cannot be read.
void uncounted_device(uint16_t device, const Left& left, std::span<const Hole> holes, bool stored,
                      Page& page) {
  const std::string why =
      stored
          ? "its statistics are damaged, or of another version, whose command reads them"
          : "not counted: its first iterations had not been mined when the file was last written";
  int64_t known_ns = left.span_ns();
  for (const Hole& hole : holes) known_ns -= hole.end_ns - hole.start_ns;
  page.paragraph(format_text("  GPU %-3u    ", device),
                 why + ". Every figure is of the events at hand: " +
                     time_text(std::max<int64_t>(0, known_ns)) + " of the " +
                     time_text(left.span_ns()) + " from the first to the last");
}

void device_part(const StoredRun& stored, std::span<const Hole> holes, Page& page) {
  const RunStatistics& run = stored.statistics;
  const double span_ns =
      static_cast<double>(std::max<int64_t>(1, run.last_end_ns - run.first_start_ns));
  page.paragraph(format_text("  GPU %-3u    ", run.device),
                 counted(run.ops) + " ops in " + time_text(run.last_end_ns - run.first_start_ns) +
                     ", " +
                     share(static_cast<double>(run.explained_ops), static_cast<double>(run.ops)) +
                     " of them in iterations; GPU busy at least " +
                     share(static_cast<double>(run.busy_ns), span_ns));
  if (run.skipped_ops > 0)
    page.paragraph("  note       ",
                   counted(run.skipped_ops) + " more ops came too fast to be followed");
  page.paragraph("  iterations ", verdict_words(run));
  const bool iterations = run.verdict == Verdict::iteration;
  if (const std::string apart = iterations ? apart_words(run) : ""; !apart.empty())
    page.paragraph("  note       ", apart);
  std::vector<const IterationStats*> kinds;
  for (const IterationStats& stats : run.iterations)
    if (stats.count > 0) kinds.push_back(&stats);
  if (run.varying.count > 0) kinds.push_back(&run.varying);
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const auto* a, const auto* b) { return a->count > b->count; });
  if (kinds.size() > kMostKinds) {
    page.paragraph("  note       ",
                   format_text("they are of %zu kinds, the most frequent are:", kinds.size()));
    kinds.resize(kMostKinds);
  }
  for (const IterationStats* stats : kinds) {
    page.paragraph(iterations ? "  kind       " : "  block      ", iteration_words(*stats));
    if (stats->slow_count > 0) page.paragraph("  slow       ", slow_words(*stats, holes));
  }
  if (const std::string trend = trend_words(run); !trend.empty())
    page.paragraph("  trend      ", trend);

  const std::vector<NameStats> names = run.by_name();
  double total_ns = 0;
  for (const NameStats& name : names) total_ns += static_cast<double>(name.sum_ns);
  for (size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
    const std::string head = padded(i == 0 ? "  op time    " : "", 13) +
                             at_right(share(static_cast<double>(names[i].sum_ns), total_ns), 7) +
                             "  " + at_right(time_text(names[i].sum_ns), 8) +
                             at_right(counted(names[i].count), 15) + "  ";
    page.line(head + short_name(stored.name(names[i].name),
                                page.width() - std::min(page.width(), head.size())));
  }
}

// The devices whose run was counted, by number.
std::map<uint16_t, StoredRun> counted_runs(const Blobs& blobs) {
  std::map<uint16_t, StoredRun> runs;
  for (auto blob = blobs.lower_bound(std::string(kRunStatisticsKey));
       blob != blobs.end() &&
       blob->first.compare(0, kRunStatisticsKey.size(), kRunStatisticsKey) == 0;
       ++blob) {
    std::optional<StoredRun> run = decode_run_statistics(blob->second);
    if (run && run->statistics.ops > 0) runs.emplace(run->statistics.device, std::move(*run));
  }
  return runs;
}

void heading(Page& page) {
  page.heading("WHOLE RUN", "counted while the job ran, in launch order");
}

}  // namespace

void whole_run_part(const Trace& trace, Page& page) {
  const uint64_t let_go = trace.losses[Loss::segment_evicted];
  std::map<uint16_t, StoredRun> runs = counted_runs(trace.blobs);
  const std::vector<Spell> spells = takeover_spells(trace);
  for (auto& [device, run] : runs) untime_spells(spells, run.statistics);
  if (runs.empty() && let_go == 0) return;
  heading(page);
  if (let_go > 0) {
    page.paragraph("  note       ",
                   counted(let_go) +
                       " raw events were let go to keep the file's ceiling: the sections "
                       "below are of the first, the slowest and the newest, which are left");
  }
  std::map<uint16_t, Left> devices = left_of(trace);
  for (const auto& [device, run] : runs) {
    device_part(run, holes_of(trace, device), page);
    const int64_t behind_ns = devices[device].last_end_ns - run.statistics.last_end_ns;
    if (behind_ns > 0)
      page.paragraph("  note       ",
                     "counted up to " + time_text(behind_ns) + " before the last op recorded");
  }
  if (let_go == 0) return;
  for (const auto& [device, left] : devices)
    if (runs.count(device) == 0)
      uncounted_device(device, left, holes_of(trace, device),
                       trace.blobs.count(run_statistics_key(device)) > 0, page);
}

void whole_run_part(const Blobs& blobs, Page& page) {
  const std::map<uint16_t, StoredRun> runs = counted_runs(blobs);
  if (runs.empty()) return;
  heading(page);
  for (const auto& [device, run] : runs) device_part(run, {}, page);
  // How far that is nobody has looked up: there was no time to read the events back.
  page.paragraph("  note       ",
                 "as far as it was counted by then: deepprof report of the file has the whole run");
}

}  // namespace deepprof
