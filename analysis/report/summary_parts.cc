#include "analysis/report/summary_parts.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "analysis/categories/annotation_name.h"
#include "analysis/categories/distinct_names.h"
#include "analysis/categories/readable_name.h"
#include "analysis/findings/slow.h"
#include "analysis/iterations/nested.h"
#include "analysis/model/launches.h"
#include "analysis/report/basis_text.h"
#include "analysis/report/counted_text.h"
#include "analysis/report/may_be_no_iteration.h"
#include "analysis/report/quantity.h"
#include "analysis/report/sections.h"
#include "analysis/report/units.h"
#include "analysis/report/utf8.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

std::string count(size_t value) { return count_text(static_cast<int64_t>(value)); }

std::string time_line(const DeviceFigures& device, double batch) {
  const Distribution& time = device.iteration_time;
  std::string text = "median " + time_text(time.median_ns) + "   mean " +
                     time_text(static_cast<int64_t>(time.mean_ns + 0.5));
  if (time.count >= kFewestForTrend) text += "   p95 " + time_text(time.p95_ns);
  text += "   max " + time_text(time.max_ns);
  if (time.mean_ns > 0) {
    const double rate = 1e9 / time.mean_ns;
    text += format_text("   %.*f it/s", rate < 10 ? 2 : rate < 1000 ? 1 : 0, rate);
    const double items = rate * batch;
    if (batch > 0)
      text += "   " +
              (items < 100 ? format_text("%.1f", items) : count(static_cast<size_t>(items + 0.5))) +
              " items/s";
  }
  return text;
}

std::string bar(int64_t part, int64_t whole) {
  constexpr double kWidth = 40;
  if (part <= 0 || whole <= 0) return {};
  // In floating point: years of a damaged file would not fit when multiplied.
  const double share = static_cast<double>(part) / static_cast<double>(whole);
  return std::string(static_cast<size_t>(std::min(share, 1.0) * kWidth + 0.5), '#');
}

// What stands behind the bar of a copy, a fill or communication: how much of it other work hides.
std::string hidden_text(const DeviceFigures& device, const BasisText& basis, Activity activity) {
  const int64_t united = device.basis.united(activity);
  if (united == 0 || 100 * (united - device.basis.exposed(activity)) < united) return {};
  return " (" + basis.in_all(activity) + " in all, " + basis.hidden(activity) + " of it hidden)";
}

// The column that names things: what a cause's gaps have in common, within `width` columns.
std::string cause_evidence(const Trace& trace, Cause cause, const CauseFigures& figures,
                           size_t width) {
  const auto named = [&](const std::string& head, NameId id) {
    return head + short_name(trace.names[id], width - std::min(width, head.size()));
  };
  switch (cause) {
    case Cause::host_outside:
      // An annotation that most of the time lies in says more than the op that came late.
      if (figures.top_range != 0 && figures.top_range_ns > figures.pieces.total_ns / 2)
        return "in " +
               short_annotation(trace.names[figures.top_range], width - std::min(width, size_t{3}));
      return figures.top_after == 0 ? "" : named("before ", figures.top_after);
    case Cause::host_launch:
    case Cause::host_blocked: return figures.top_call == 0 ? "" : named("in ", figures.top_call);
    case Cause::dependency_wait:
      if (figures.top_wait == kNone) return named("before ", figures.top_after);
      return named(format_text("stream %u waits for ", trace.ops[figures.top_wait_after].stream),
                   trace.ops[figures.top_wait].name);
    case Cause::kernel_wait: return "queued, under 30 us";
    case Cause::graph_replay: return "within a graph launch";
    case Cause::overhead: return "buffer flushes and the like";
    case Cause::unattributed:
      if (figures.largest.after != kNone && is_migration(trace, trace.ops[figures.largest.after]))
        return "managed memory moves";
      return figures.largest.after == kNone &&
                     figures.largest.duration_ns() > figures.pieces.total_ns / 2
                 ? "nothing follows"
                 : "no launch record";
  }
  return {};
}

// "layer_N_weights" of "layer_7_weights"; the number of a word such as "conv2d" stays.
std::string without_numbers(std::string_view name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  std::string text;
  for (size_t at = 0; at < name.size();) {
    size_t end = at;
    while (end < name.size() && is_digit(name[end])) ++end;
    const bool folds = end > at && (end == name.size() || !is_letter(name[end]));
    if (end == at) end = at + 1;
    if (folds) text += 'N';
    else text += name.substr(at, end - at);
    at = end;
  }
  return text;
}

struct Place {
  std::string name;
  int64_t ns = 0;
};

// The annotations that the host was in, most first. Names that differ in their numbers are one.
std::vector<Place> places_of(const Trace& trace, const CauseFigures& figures) {
  std::vector<Place> places;
  std::vector<std::string> folded;
  for (const CauseFigures::Doing& doing : figures.doing) {
    const std::string name(annotation_name(trace.names[doing.range]));
    const std::string fold = without_numbers(name);
    const auto known = std::find(folded.begin(), folded.end(), fold);
    if (known == folded.end()) {
      folded.push_back(fold);
      places.push_back({name, doing.ns});
    } else {
      Place& place = places[static_cast<size_t>(known - folded.begin())];
      place = {fold, place.ns + doing.ns};
    }
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.ns > b.ns; });
  return places;
}

// What the launching thread was at while the GPU waited for it, where annotations tell more than
// the cause's own line.
void doing_lines(const Trace& trace, const CauseFigures& figures, Page& page) {
  constexpr size_t kShown = 3;
  const int64_t whole = figures.pieces.total_ns;
  const std::vector<Place> places = places_of(trace, figures);
  size_t worth_a_line = 0;
  for (const Place& place : places)
    worth_a_line += worth_a_line < kShown && 50 * place.ns >= whole;  // 2 %
  const bool is_told = worth_a_line == 1 && figures.top_range_ns > whole / 2;
  for (size_t i = 0; i < worth_a_line && !is_told; ++i) {
    const Place& place = places[i];
    const std::string text =
        padded(i == 0 ? "    the host was in" : "", 33) +
        at_right(percent_text(static_cast<double>(place.ns) / static_cast<double>(whole)), 8) +
        "  of it: ";
    page.line(text +
              short_annotation(place.name, page.width() - std::min(page.width(), text.size())));
  }
}

}  // namespace

std::string basis_words(const DeviceFigures& device) {
  return (device.has_iterations() ? "mean iteration " : "whole run ") +
         time_text(device.basis.wall_ns / device.repetitions);
}

namespace {

// "36 ops (layers or other parts, about 12 in an iteration)": the best levels beside the chosen
// one.
std::string other_levels(const DeviceMined& mined) {
  constexpr size_t kMostShown = 3;
  std::string text;
  for (size_t i = 1; i < mined.levels.size() && i <= kMostShown; ++i) {
    const Level& level = mined.levels[i];
    text += text.empty() ? "" : ", ";
    text += count_text(static_cast<int64_t>(level.ops + 0.5)) + " " +
            (level.ops < 1.5 ? "op" : "ops") + " (" + level.about + ")";
  }
  return text.empty() ? text : text + " too";
}

// "100 found, pattern of 747 GPU ops, covers 98.0 % of GPU time   confidence high".
std::string found_words(const DeviceFigures& device) {
  const DeviceMined& mined = *device.mined;
  return format_text("%s %s, pattern of %s GPU ops, covers %s of GPU time   confidence %s",
                     count(mined.iterations.size()).c_str(),
                     may_be_no_iteration(device) ? "repeating blocks" : "found",
                     scaled_text(mined.ops_per_iteration, Unit::count).c_str(),
                     percent_text(mined.coverage).c_str(), confidence_word(mined.confidence));
}

// Why no iterations were found.
std::string no_iterations_reason(const DeviceFigures& device) {
  const bool all_known = device.kernels.size() == 1 && device.kernels[0].count == device.ops.size();
  if (all_known && device.ops.size() == 1) return "one GPU op was recorded";
  if (all_known)
    return "one kernel alone, repeated " + count(device.ops.size()) +
           " times: each may be an iteration";
  // What lies in a hole that lasts to the end is not mined: where most ops do, that is why nothing
  // was found.
  if (device.mined == nullptr) return "";
  const size_t all = device.ops.size(), mined = std::min(all, device.mined->order.size());
  if (device.mined->reason.starts_with("too few") && all > 2 * mined)
    return count(all - mined) + " of " + count(all) +
           " GPU ops lie where records are missing, to the end: see the data line";
  return device.mined->reason;
}

}  // namespace

void iterations_part(const DeviceFigures& device, const SummaryOptions& options, Page& page) {
  const std::string marked = marked_steps_text(device);
  if (device.none_is_whole()) {
    page.heading("ITERATIONS", "no whole iteration lies in the stretch that was asked for");
    page.paragraph("  ", "The figures below are of the stretch itself.");
    if (!marked.empty()) page.paragraph("  marked     ", marked);
    return;
  }
  if (says_little(device)) {
    page.heading("ITERATIONS", found_words(device));
    page.paragraph("  note       ",
                   "that is uncertain, and less than half of the run's time: the figures below are "
                   "of the whole run, from the first GPU op to the last (deepprof iterations lists "
                   "what was found)");
    if (!device.mined->decided_by.empty())
      page.paragraph("  decided by ", device.mined->decided_by);
    if (!marked.empty()) page.paragraph("  marked     ", marked);
    return;
  }
  if (!device.has_iterations()) {
    page.heading("ITERATIONS", "no iteration structure found");
    const std::string reason = no_iterations_reason(device);
    page.paragraph("  ",
                   "The figures below are of the whole run, from the first GPU op to the last" +
                       (reason.empty() ? "." : " (" + reason + ")."));
    if (!marked.empty()) page.paragraph("  marked     ", marked);
    return;
  }
  const DeviceMined& mined = *device.mined;
  const bool block = may_be_no_iteration(device);
  page.heading("ITERATIONS", found_words(device));
  if (block) {
    page.paragraph("  note       ",
                   "nothing shows that the block that repeats is an iteration; where iteration is "
                   "said below, read block");
  } else if (is_low(mined.confidence)) {
    page.paragraph("  note       ",
                   "what was found may be parts of an iteration, or no iterations at all");
  }
  if (!mined.second_opinion.empty()) page.paragraph("  note       ", mined.second_opinion);
  std::string structure = nested_words(mined.nested);
  if (mined.cycle > 0) {
    structure += structure.empty() ? "" : "; ";
    structure += format_text("contents return every %u iterations", mined.cycle);
  }
  if (!structure.empty()) page.paragraph("  structure  ", structure);
  if (!mined.decided_by.empty()) page.paragraph("  decided by ", mined.decided_by);
  if (!marked.empty()) page.paragraph("  marked     ", marked);
  if (const std::string levels = other_levels(mined); !levels.empty())
    page.paragraph("  repeats at ", levels);
  if (mined.iterations.back().number + 1 != static_cast<int64_t>(mined.iterations.size()))
    page.paragraph("  left       ", mined.numbers_text() + " of the run");
  const std::string excluded = device.narrowed ? "" : excluded_text(device);
  if (device.narrowed)
    page.paragraph("  counted    ",
                   count(device.counted.size()) + " of them, those that were asked for");
  if (!excluded.empty()) page.paragraph("  excluded   ", excluded);
  page.paragraph("  time       ", time_line(device, options.batch));
  if (device.counted.size() >= kFewestForTrend) {
    const double percent = device.trend_ratio * 100;
    const bool changes = percent > 5 || percent < -5;
    const char* word = !changes                 ? "steady"
                       : !device.trend_is_clear ? "none beyond chance"
                       : percent > 0            ? "slower"
                                                : "faster";
    page.line(format_text("  trend      %s (%+.1f %% first to last tenth)", word, percent));
  }
  const std::string slow = slow_text(find_slow(device), device.counted.size(), options.numbered);
  if (!slow.empty()) page.paragraph("  slow       ", slow);
}

void time_part(const Figures& figures, const DeviceFigures& device, Page& page) {
  const bool stream = figures.view.stream != kNone;
  const Account& basis = device.basis;
  const BasisText texts(device);
  const std::vector<int64_t>& parts = texts.parts();
  page.heading("WHERE THE TIME GOES", (device.has_iterations() ? "mean iteration " : "whole run ") +
                                          texts.times().total());
  const std::array<const char*, kActivities + 2> labels{"compute",
                                                        "communication, exposed",
                                                        "memcpy, exposed",
                                                        "memset, exposed",
                                                        stream ? "stream idle" : "GPU idle",
                                                        "not recorded"};
  for (size_t i = 0; i < parts.size(); ++i) {
    std::string text =
        "  " + padded(labels[i], 23) + texts.times().part(i) + "  " + texts.shares()[i] + "  ";
    const std::string hidden =
        i >= 1 && i < kActivities ? hidden_text(device, texts, static_cast<Activity>(i)) : "";
    page.line(text + padded(bar(parts[i], basis.wall_ns), hidden.empty() ? 0 : 10) + hidden);
  }
  const double wall = static_cast<double>(std::max<int64_t>(1, basis.recorded_ns()));
  std::string text = (stream ? "  stream busy " : "  GPU busy ") +
                     percent_text(static_cast<double>(basis.busy_ns()) / wall) +
                     "   kernels running " +
                     percent_text(static_cast<double>(basis.kernels_ns) / wall);
  if (device.sm_filled_ns >= 0)
    text += "   SMs filled " + percent_text(device.sm_filled_ns / wall) + " (estimate)";
  page.line(text);
}

void idle_part(const Trace& trace, const Figures& figures, const DeviceFigures& device,
               Page& page) {
  const BasisText texts(device);
  page.heading(
      figures.view.stream == kNone ? "WHY THE GPU WAS IDLE" : "WHY THE STREAM WAS IDLE",
      texts.causes().total() + (device.has_iterations() ? " per iteration" : " in the run"));
  for (size_t i = 0; i < kCauses; ++i) {
    const auto cause = static_cast<Cause>(i);
    const Distribution& pieces = device.causes[i].pieces;
    if (pieces.count == 0 && cause != Cause::unattributed) continue;
    std::string text = "  " + padded(cause_info(cause).words, 21) + texts.causes().part(i) + "  " +
                       texts.cause_shares()[i];
    if (pieces.count > 0) {
      text += at_right(mean_count_text(pieces.count, device.repetitions), 8) +
              (pieces.count == static_cast<uint64_t>(device.repetitions) ? " gap " : " gaps") +
              "  median " + padded(duration_text(static_cast<double>(pieces.median_ns)), 9);
      text += cause_evidence(trace, cause, device.causes[i],
                             page.width() - static_cast<size_t>(display_width(text)));
    }
    page.line(text);
    if (cause == Cause::host_outside) doing_lines(trace, device.causes[i], page);
  }
}

namespace {

// A line of the KERNELS section: a category, or the small ones together.
struct CategoryLine {
  int64_t ns = 0;
  uint64_t calls = 0;
  std::string label;
};

// "pool, gemm, 2 more": what fits into half a page, the first at least.
std::string small_label(const std::vector<std::string>& names) {
  constexpr size_t kWidth = 22;
  std::string text = names[0];
  size_t named = 1;
  const auto with_rest = [&](const std::string& head, size_t shown) {
    return head +
           (shown < names.size() ? format_text(", %zu more", names.size() - shown) : std::string());
  };
  if (names.size() > 1 && with_rest(names[0] + ", " + names[1], 2).size() <= kWidth) {
    text += ", " + names[1];
    named = 2;
  }
  return with_rest(text, named);
}

std::vector<CategoryLine> category_lines(const Figures& figures, const DeviceFigures& device) {
  std::vector<size_t> ids;
  int64_t whole = 0;
  for (size_t id = 0; id < device.category_ns.size(); ++id) {
    if (device.category_count[id] > 0) ids.push_back(id);
    whole += device.category_ns[id];
  }
  std::stable_sort(ids.begin(), ids.end(), [&](size_t a, size_t b) {
    return device.category_ns[a] > device.category_ns[b];
  });
  std::vector<CategoryLine> lines;
  CategoryLine small;
  std::vector<std::string> small_names;
  for (const size_t id : ids) {
    const CategoryLine line{device.category_ns[id], device.category_count[id],
                            figures.category_names[id]};
    if (200 * line.ns >= whole) {  // half a percent
      lines.push_back(line);
      continue;
    }
    small.ns += line.ns;
    small.calls += line.calls;
    small_names.push_back(line.label);
  }
  if (!small_names.empty()) {
    small.label = small_label(small_names);
    lines.push_back(small);
  }
  return lines;
}

// The kernels that take most time; `all_ns`: of all kernels.
void longest_kernels(const Trace& trace, const DeviceFigures& device, int64_t all_ns, Page& page) {
  constexpr size_t kShown = 3;
  if (device.kernels.size() <= kShown) return;
  std::vector<int64_t> parts;
  for (size_t i = 0; i < kShown; ++i) parts.push_back(device.kernels[i].total_ns);
  // the others: the same digits
  parts.push_back(all_ns - std::accumulate(parts.begin(), parts.end(), int64_t{0}));
  const TimeColumn times(parts, device.repetitions);
  const auto shares = percent_column(parts);
  std::vector<std::string_view> raw;
  for (size_t i = 0; i < kShown; ++i) raw.push_back(trace.names[device.kernels[i].name]);
  const std::vector<std::string> names = distinct_short_names(raw, page.width());
  for (size_t i = 0; i < kShown; ++i) {
    const KernelFigures& kernel = device.kernels[i];
    const std::string head = padded(i == 0 ? "  by name" : "", 10) + shares[i] + " " +
                             times.part(i) +
                             at_right(mean_count_text(kernel.count, device.repetitions), 9) + "  ";
    page.line(head +
              fit_distinct_name(names[i], page.width() - std::min(page.width(), head.size())));
  }
}

}  // namespace

void kernels_part(const Trace& trace, const Figures& figures, const DeviceFigures& device,
                  Page& page) {
  const std::vector<CategoryLine> lines = category_lines(figures, device);
  if (lines.empty()) return;
  std::vector<int64_t> parts;
  for (const CategoryLine& line : lines) parts.push_back(line.ns);
  const TimeColumn times(parts, device.repetitions);
  const auto shares = percent_column(parts);
  page.heading("KERNELS", times.total() + " of kernel time" +
                              (device.has_iterations() ? " per iteration" : " in the run") +
                              " (streams added)");
  const auto cell = [&](size_t i) {
    return " " + shares[i] + " " + times.part(i) +
           at_right(mean_count_text(lines[i].calls, device.repetitions), 9) + "  " + lines[i].label;
  };
  constexpr size_t kTwoColumns = 88;  // of the page: narrower ones have room for one
  const size_t rows = page.width() < kTwoColumns ? lines.size() : (lines.size() + 1) / 2;
  for (size_t row = 0; row < rows; ++row) {
    std::string text = " " + padded(cell(row), 48);
    if (row + rows < lines.size()) text += cell(row + rows);
    page.line(text);
  }
  longest_kernels(trace, device, std::accumulate(parts.begin(), parts.end(), int64_t{0}), page);
  if (device.ops_of_kind[static_cast<size_t>(Kind::graph)] > 0)
    page.paragraph("  ", "what ran within a graph launch was not recorded: each is one op");
}

}  // namespace deepprof
