#include "analysis/report/run_parts.h"

#include <algorithm>

#include "libdeepprof/text.h"

namespace deepprof {
namespace {

std::vector<RunPart> named_parts(const DeviceFigures& device) {
  const std::vector<Iteration>& all = device.mined->iterations;
  std::vector<RunPart> parts;
  int64_t first = 0;  // number of the part's first iteration
  for (const uint32_t i : device.counted) {
    const std::string number = std::to_string(all[i].number);
    if (parts.empty() || parts.back().window.end_ns != all[i].start_ns) {
      first = all[i].number;
      parts.push_back({"iteration " + number, 1, {all[i].start_ns, all[i].end_ns}});
      continue;
    }
    RunPart& part = parts.back();
    part.name = "iterations " + std::to_string(first) + " to " + number;
    part.window.end_ns = all[i].end_ns;
    ++part.iterations;
  }
  return parts;
}

// Of the iterations that begin in a stretch of time.
int64_t iterations_in(const DeviceFigures& device, Window window) {
  const auto& all = device.mined->iterations;
  return std::count_if(all.begin(), all.end(), [&](const Iteration& iteration) {
    return iteration.start_ns >= window.start_ns && iteration.start_ns < window.end_ns;
  });
}

}  // namespace

std::vector<RunPart> parts_of_run(const DeviceFigures* device, Window run) {
  if (device == nullptr || device->mined == nullptr) return {{RunPart::kRun, -1, run}};
  if (device->iterations_named) return named_parts(*device);
  std::vector<RunPart> parts{{RunPart::kRun, iterations_in(*device, run), run}};
  int64_t number = 0;
  for (const Section& section : device->mined->sections) {
    const Window window{std::max(section.start_ns, run.start_ns),
                        std::min(section.end_ns, run.end_ns)};
    const std::string name =
        format_text("%s %lld", section_name(section.kind), static_cast<long long>(number++));
    if (window.start_ns < window.end_ns)
      parts.push_back({name, section.iterations > 0 ? iterations_in(*device, window) : 0, window});
  }
  return parts;
}

}  // namespace deepprof
