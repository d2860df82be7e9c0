#include "analysis/report/summary.h"

#include <algorithm>
#include <array>

#include "analysis/categories/readable_name.h"
#include "analysis/findings/findings.h"
#include "analysis/report/figures.h"
#include "analysis/report/quantity.h"
#include "analysis/report/units.h"
#include "analysis/report/utf8.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

size_t columns(std::string_view text) { return static_cast<size_t>(display_width(text)); }

// The page: lines of at most `width` columns. Names stand last on a line, so cutting hurts least there.
class Page {
 public:
  explicit Page(const SummaryOptions& options)
      : width_(static_cast<size_t>(std::max(40, options.width))), color_(options.color) {}

  void line(const std::string& text) {
    std::string shown = printable(text);
    while (!shown.empty() && shown.back() == ' ') shown.pop_back();
    if (columns(shown) > width_) {
      size_t end = shown.size();
      while (end > 0 && (columns(shown.substr(0, end)) > width_ - 2 || (shown[end] & 0xc0) == 0x80)) --end;
      shown = shown.substr(0, end) + "..";
    }
    text_ += shown + "\n";
  }
  void heading(const std::string& title, const std::string& rest = {}) {
    line("");
    const size_t start = text_.size();
    line(title + (rest.empty() ? "" : "   " + rest));
    if (color_) text_.insert(start + title.size(), "\x1b[0m").insert(start, "\x1b[1m");
  }
  // Wraps a paragraph: the first line after `head`, the others indented alike.
  void paragraph(const std::string& head, const std::string& text) {
    std::string current = head;
    const std::string indent(head.size(), ' ');
    bool fresh = true;
    size_t at = 0;
    while (at < text.size()) {
      const size_t space = std::min(text.find(' ', at), text.size());
      const std::string word = text.substr(at, space - at);
      at = space + 1;
      if (!fresh && columns(current) + 1 + columns(word) > width_) {
        line(current);
        current = indent;
        fresh = true;
      }
      current += (fresh ? "" : " ") + word;
      fresh = false;
    }
    line(current);
  }
  size_t width() const { return width_; }
  std::string take() { return std::move(text_); }

 private:
  size_t width_;
  bool color_;
  std::string text_;
};

const char* plural(uint64_t count) { return count == 1 ? "" : "s"; }
std::string padded(std::string text, size_t width) {
  const size_t taken = columns(text);
  if (taken < width) text.append(width - taken, ' ');
  return text;
}
std::string right(std::string text, size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

std::string header_line(const Trace& trace) {
  const ProcessInfo& process = trace.process;
  const bool own = process.source.empty() || process.source.compare(0, 8, "deepprof") == 0;
  std::string text = own && !process.source.empty() ? process.source : "deepprof";
  if (!own) text += "  trace of " + process.source;
  if (process.rank >= 0) {
    text += process.world_size > 0 ? format_text("  rank %d/%d", process.rank, process.world_size)
                                   : format_text("  rank %d", process.rank);
  }
  if (!process.host.empty()) text += "  " + process.host;
  if (process.pid != 0) text += format_text("%spid %u", process.host.empty() ? "  " : " ", process.pid);
  if (!process.command_line.empty()) text += "  " + process.command_line;
  return text;
}

std::string device_line(const Trace& trace, const DeviceFigures& figures) {
  std::string text = format_text("GPU %u", figures.device);
  for (const Device& device : trace.devices) {
    if (device.id != figures.device || device.name.empty()) continue;
    text += "  " + device.name;
    std::string more;
    if (device.sm_count > 0) more = format_text("%u SMs", device.sm_count);
    if (device.memory_bytes > 0) more += (more.empty() ? "" : ", ") + bytes_text(device.memory_bytes);
    if (!more.empty()) text += " (" + more + ")";
  }
  const auto of = [&](Kind kind) { return figures.ops_of_kind[static_cast<size_t>(kind)]; };
  const auto counted = [](uint64_t count, const char* one, const char* many) {
    return count_text(count) + " " + (count == 1 ? one : many);
  };
  text += "   ran " + time_text(figures.span.end_ns - figures.span.start_ns) + "   " +
          counted(of(Kind::kernel), "kernel", "kernels") + ", " + counted(of(Kind::memcpy), "copy", "copies") +
          ", " + counted(of(Kind::memset), "fill", "fills");
  if (of(Kind::graph) > 0) text += ", " + counted(of(Kind::graph), "graph launch", "graph launches");
  return text;
}

void data_lines(const Trace& trace, const Figures& figures, Page& page) {
  std::string text;
  uint64_t orphans = 0;
  for (const Op& op : trace.ops) orphans += op.launch == kNone;
  if (!trace.losses.any(Severity::error)) text = "complete: 0 dropped";
  else text = "INCOMPLETE";
  for (const LossInfo& info : losses()) {
    const uint64_t count = trace.losses[info.loss];
    if (count > 0) text += ", " + count_text(count) + " " + std::string(info.sentence);
  }
  if (trace.calls.empty()) {
    text += ", no API records: idle time cannot be attributed";
  } else if (orphans > 0 && !trace.ops.empty()) {
    text += ", " + count_text(orphans) + " op" + plural(orphans) + " without launch record (" +
            percent_text(static_cast<double>(orphans) / static_cast<double>(trace.ops.size())) + ")";
  }
  page.paragraph("data   ", text);
  if (!figures.category_error.empty()) page.paragraph("       ", figures.category_error + ": built-in rules used");
}

std::string confidence_word(double confidence) {
  return confidence >= 0.8 ? "high" : confidence >= 0.5 ? "medium" : "LOW";
}

// "6 warm-up, 2 evaluation sections (12.1 s)": what the figures below leave out.
std::string excluded_text(const DeviceFigures& device) {
  std::string text;
  int64_t left_out_ns = 0;
  for (const SectionKind kind : {SectionKind::warm_up, SectionKind::evaluation, SectionKind::checkpoint,
                                 SectionKind::irregular}) {
    uint64_t sections = 0, iterations = 0;
    for (const Section& section : device.mined->sections) {
      if (section.kind != kind) continue;
      ++sections;
      iterations += section.iterations;
      left_out_ns += section.end_ns - section.start_ns;
    }
    if (sections == 0) continue;
    if (!text.empty()) text += ", ";
    text += iterations > 0 ? count_text(iterations) + " " + section_name(kind) + " iteration" + plural(iterations)
                           : count_text(sections) + " " + section_name(kind) + " stretch" + (sections == 1 ? "" : "es");
  }
  uint64_t partial = 0;
  for (const Iteration& iteration : device.mined->iterations) partial += iteration.partial;
  if (partial > 0) text += (text.empty() ? "" : ", ") + count_text(partial) + " cut by the recording's ends";
  if (!text.empty() && left_out_ns > 0) text += " (" + time_text(left_out_ns) + ")";
  return text;
}

std::string trend_text(const DeviceFigures& device) {
  if (device.counted.size() < 20) return {};
  const double percent = device.trend_ratio * 100;
  const char* word = percent > 5 ? "slower" : percent < -5 ? "faster" : "steady";
  return format_text("%s (%+.1f %% first to last tenth)", word, percent);
}

void iterations_section(const DeviceFigures& device, Page& page) {
  if (!device.has_iterations()) {
    page.heading("ITERATIONS", "no iteration structure found");
    const bool mined = device.mined != nullptr;
    page.paragraph("  ", "The figures below are of the whole run, from the first GPU op to the last" +
                             (mined && !device.mined->reason.empty() ? " (" + device.mined->reason + ")." : "."));
    return;
  }
  const DeviceMined& mined = *device.mined;
  const bool block = mined.verdict == Verdict::repeating_block;
  page.heading("ITERATIONS",
               format_text("%s %s, pattern of %s GPU ops, covers %s of GPU time   confidence %s",
                           count_text(static_cast<int64_t>(mined.iterations.size())).c_str(), block ? "repeating blocks" : "found",
                           count_text(static_cast<int64_t>(mined.ops_per_iteration + 0.5)).c_str(),
                           percent_text(mined.coverage).c_str(), confidence_word(mined.confidence).c_str()));
  if (block) page.line("  note       nothing shows that a block is an iteration; read \"iteration\" as block");
  if (!mined.second_opinion.empty()) page.paragraph("  note       ", mined.second_opinion);
  const std::string excluded = excluded_text(device);
  if (!excluded.empty()) page.paragraph("  excluded   ", excluded);
  const Distribution& time = device.iteration_time;
  std::string text = "  time       median " + time_text(time.median_ns) + "   mean " +
                     time_text(static_cast<int64_t>(time.mean_ns + 0.5));
  if (time.count >= 20) text += "   p95 " + time_text(time.p95_ns);
  text += "   max " + time_text(time.max_ns);
  if (time.mean_ns > 0) text += format_text("   %.*f it/s", time.mean_ns > 1e8 ? 2 : 1, 1e9 / time.mean_ns);
  page.line(text);
  const std::string trend = trend_text(device);
  if (!trend.empty()) page.line("  trend      " + trend);
}

std::string basis_text(const DeviceFigures& device) {
  const std::string time = time_text(device.basis.wall_ns / device.repetitions);
  return (device.has_iterations() ? "mean iteration " : "whole run ") + time;
}

std::string bar(int64_t part, int64_t whole) {
  constexpr int64_t kWidth = 40;
  return std::string(whole > 0 ? static_cast<size_t>((part * kWidth + whole / 2) / whole) : 0, '#');
}

void time_section(const DeviceFigures& device, Page& page) {
  const Account& basis = device.basis;
  std::vector<int64_t> parts(basis.exposed_ns.begin(), basis.exposed_ns.end());
  parts.push_back(basis.idle_ns);
  const TimeColumn times(parts, device.repetitions);
  const auto shares = percent_column(parts);
  page.heading("WHERE THE TIME GOES", (device.has_iterations() ? "mean iteration " : "whole run ") + times.total());
  constexpr std::array<const char*, 5> kLabels{"compute", "communication, exposed", "memcpy, exposed",
                                               "memset, exposed", "GPU idle"};
  for (size_t i = 0; i < parts.size(); ++i) {
    std::string text = "  " + padded(kLabels[i], 23) + times.part(i) + "  " + shares[i] + "  " +
                       padded(bar(parts[i], basis.wall_ns), 10);
    if (i >= 1 && i < kActivities && basis.united_ns[i] > 0) {
      const int64_t united = basis.united_ns[i];
      text += " (" + time_text(united / device.repetitions) + " in all, " +
              percent_text(1 - static_cast<double>(parts[i]) / static_cast<double>(united)) + " hidden)";
    }
    page.line(text);
  }
  const double wall = static_cast<double>(std::max<int64_t>(1, basis.wall_ns));
  page.line("  GPU busy " + percent_text(static_cast<double>(basis.busy_ns()) / wall) + "   kernels running " +
            percent_text(static_cast<double>(basis.kernels_ns) / wall) + "   of that time");
}

// The column that names things: what a cause's gaps have in common.
std::string cause_evidence(const Trace& trace, Cause cause, const CauseFigures& figures, size_t width) {
  const auto name = [&](NameId id, size_t columns) { return short_name(trace.names[id], columns); };
  switch (cause) {
    case Cause::host_outside: return "before " + name(figures.top_after, width - 7);
    case Cause::host_launch:
    case Cause::host_blocked: return "in " + name(figures.top_call, width - 3);
    case Cause::dependency_wait: {
      if (figures.top_wait == kNone) return "before " + name(figures.top_after, width - 7);
      const Op& before = trace.ops[figures.top_wait];
      const Op& after = trace.ops[figures.top_wait_after];
      const std::string head = format_text("stream %u waits for ", after.stream);
      return head + name(before.name, width - std::min(width - 2, head.size()));
    }
    default: return {};
  }
}

void idle_section(const Trace& trace, const DeviceFigures& device, Page& page) {
  std::vector<int64_t> parts;
  for (const CauseFigures& cause : device.causes) parts.push_back(cause.pieces.total_ns);
  const TimeColumn times(parts, device.repetitions);
  const auto shares = percent_column(parts);
  page.heading("WHY THE GPU WAS IDLE", times.total() + (device.has_iterations() ? " per iteration" : " in the run"));
  for (size_t i = 0; i < kCauses; ++i) {
    const auto cause = static_cast<Cause>(i);
    const CauseFigures& figures = device.causes[i];
    if (parts[i] == 0 && cause != Cause::unattributed) continue;
    const double gaps = static_cast<double>(figures.pieces.count) / static_cast<double>(device.repetitions);
    const std::string count = gaps < 10 && figures.pieces.count % static_cast<uint64_t>(device.repetitions) != 0
                                  ? format_text("%.1f", gaps)
                                  : count_text(static_cast<int64_t>(gaps + 0.5));
    std::string text = "  " + padded(cause_info(cause).words, 23) + times.part(i) + "  " + shares[i];
    if (figures.pieces.count > 0) {
      text += right(count, 8) + (count == "1" ? " gap " : " gaps") + "  median " +
              padded(time_text(figures.pieces.median_ns), 9) + " ";
      text += cause_evidence(trace, cause, figures, std::max<size_t>(12, page.width() - columns(text)));
    }
    page.line(text);
  }
}

void kernels_section(const Figures& figures, const DeviceFigures& device, Page& page) {
  std::vector<size_t> shown;
  for (size_t id = 0; id < device.category_ns.size(); ++id) {
    if (device.category_count[id] > 0) shown.push_back(id);
  }
  if (shown.empty()) return;
  std::stable_sort(shown.begin(), shown.end(),
                   [&](size_t a, size_t b) { return device.category_ns[a] > device.category_ns[b]; });
  std::vector<int64_t> parts;
  for (const size_t id : shown) parts.push_back(device.category_ns[id]);
  const TimeColumn times(parts, device.repetitions);
  const auto shares = percent_column(parts);
  page.heading("KERNELS", times.total() + " of kernel time" +
                              (device.has_iterations() ? " per iteration" : " in the run") + " (streams added)");
  const size_t lines = (shown.size() + 1) / 2;
  const auto cell = [&](size_t i) {
    const double count = static_cast<double>(device.category_count[shown[i]]) / static_cast<double>(device.repetitions);
    return " " + shares[i] + " " + times.part(i) + right(count_text(static_cast<int64_t>(count + 0.5)), 9) + "  " +
           figures.category_names[shown[i]];
  };
  for (size_t row = 0; row < lines; ++row) {
    std::string text = " " + padded(cell(row), 46);
    if (row + lines < shown.size()) text += cell(row + lines);
    page.line(text);
  }
}

void findings_section(const Trace& trace, const Figures& figures, const DeviceFigures& device, Page& page) {
  const auto findings = find(trace, figures, device);
  page.heading("FINDINGS", findings.empty() ? "nothing passed its threshold" : "");
  int number = 0;
  for (const Finding& finding : findings) {
    page.paragraph(format_text("%2d ", ++number), finding.sentence);
    std::string next = finding.next_step;
    if (finding.ceiling_ns >= 0) {
      next += (next.empty() ? "" : " ") + std::string("Without it at best ") + time_text(finding.ceiling_ns) +
              (device.has_iterations() ? " per iteration." : " in all.");
    }
    if (!next.empty()) page.paragraph("   ", next);
  }
}

void other_devices(const Trace& trace, const Figures& figures, const DeviceFigures& main, Page& page) {
  if (figures.devices.size() < 2) return;
  page.heading("OTHER GPUS", format_text("the sections above are of GPU %u", main.device));
  for (const DeviceFigures& device : figures.devices) {
    if (&device == &main) continue;
    const double wall = static_cast<double>(std::max<int64_t>(1, device.basis.wall_ns));
    page.line("  " + device_line(trace, device));
    page.line("         " + basis_text(device) + "   busy " +
              percent_text(static_cast<double>(device.basis.busy_ns()) / wall) + "   communication exposed " +
              percent_text(static_cast<double>(device.basis.exposed(Activity::communication)) / wall));
  }
}

}  // namespace

std::string summary_text(const Trace& trace, const Mined& mined, const SummaryOptions& options) {
  Page page(options);
  page.line(header_line(trace));
  const Figures figures = compute_figures(trace, mined, options.categories_path);
  if (figures.devices.empty()) {
    data_lines(trace, figures, page);
    page.line("no GPU op was recorded: the job did not use a GPU, or nothing of it was seen");
  } else {
    const DeviceFigures& device = figures.main();
    page.line(device_line(trace, device));
    data_lines(trace, figures, page);
    iterations_section(device, page);
    time_section(device, page);
    idle_section(trace, device, page);
    kernels_section(figures, device, page);
    other_devices(trace, figures, device, page);
    findings_section(trace, figures, device, page);
  }
  if (!options.wrote.empty()) page.line(options.wrote);
  return page.take();
}

}  // namespace deepprof
