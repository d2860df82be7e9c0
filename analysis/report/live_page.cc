#include "analysis/report/live_page.h"

#include <algorithm>

#include "analysis/online/whole_run.h"
#include "analysis/report/device_sections.h"
#include "analysis/report/page.h"
#include "analysis/report/quantity.h"
#include "analysis/report/summary.h"
#include "analysis/report/summary_device.h"
#include "analysis/report/summary_parts.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

// The lengths of the counted iterations, oldest first.
std::vector<int64_t> iteration_times(const DeviceFigures& device) {
  std::vector<int64_t> times;
  for (const uint32_t i : device.counted) {
    const Iteration& iteration = device.mined->iterations[i];
    times.push_back(iteration.end_ns - iteration.start_ns);
  }
  return times;
}

std::string state_words(const LiveState& state) {
  if (!state.running) return "the job has ended";
  if (state.age_s < 0) return "running";
  return format_text("running, written %.0f s ago", state.age_s);
}

void device_page(const Trace& trace, const Figures& figures, const DeviceFigures& device,
                 Page& page) {
  page.line("");
  page.line(format_text("GPU %u", device.device) + "   the newest " +
            time_text(device.span.end_ns - device.span.start_ns) + ", " +
            count_text(static_cast<int64_t>(device.ops.size())) + " GPU ops");
  // The newest part of a file counts from 0: `deepprof iter N` would show another iteration.
  SummaryOptions options;
  options.numbered = false;
  iterations_part(device, options, page);
  if (device.has_iterations()) {
    const std::vector<int64_t> times = iteration_times(device);
    page.line("  newest     " + sparkline(times, page.width() - 26) + " " +
              time_text(times.empty() ? 0 : times.back()));
  }
  time_part(figures, device, page);
  idle_part(trace, figures, device, page);
  device_part(trace, figures, batch_of(trace, 0), page);
}

}  // namespace

std::string sparkline(const std::vector<int64_t>& values, size_t width) {
  constexpr const char* kHeights[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr int64_t kTop = std::size(kHeights) - 1;
  const size_t first = values.size() - std::min(values.size(), width);
  int64_t most = 1;
  for (size_t i = first; i < values.size(); ++i) most = std::max(most, values[i]);
  std::string line;
  for (size_t i = first; i < values.size(); ++i) {
    const double share =
        static_cast<double>(std::max<int64_t>(0, values[i])) / static_cast<double>(most);
    line += kHeights[static_cast<int64_t>(share * kTop + 0.5)];
  }
  return line;
}

std::string live_page(const Trace& trace, const Figures& figures, const LiveState& state) {
  Page page(static_cast<size_t>(state.width), state.color);
  page.line(state.title);
  page.line(state_words(state));
  if (is_host_run(trace)) host_run_part(trace, batch_of(trace, 0), page);
  else if (figures.devices.empty())
    page.line(state.running ? "no GPU op has been recorded yet" : "no GPU op was recorded");
  else device_page(trace, figures, figures.main(), page);  // the others are in `deepprof report`
  whole_run_part(trace, page);
  return page.take();
}

}  // namespace deepprof
