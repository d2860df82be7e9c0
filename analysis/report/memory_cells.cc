#include "analysis/report/memory_cells.h"

#include <algorithm>
#include <string>

#include "analysis/report/time_origin.h"

namespace deepprof {

Cell device_cell(uint32_t device) {
  if (device == Allocation::kHost) return std::string("host");
  return int64_t{device};
}

Cell count_cell(uint64_t count) {
  return static_cast<int64_t>(std::min<uint64_t>(count, INT64_MAX));
}

Column instant_column(Names names, const char* for_programs, const char* heading) {
  if (names == Names::raw) return {for_programs, Unit::none, heading};
  return {"at_ns", Unit::nanoseconds, heading};
}
Cell instant_cell(const Trace& trace, Names names, int64_t time_ns) {
  return names == Names::raw ? time_ns : time_ns - time_origin(trace).time_ns;
}

const DeviceFigures* iterations_for(const Figures& figures, const MemoryLane& lane) {
  if (figures.devices.empty()) return nullptr;
  return lane.first == Allocation::kHost ? &figures.main() : figures_of(figures, lane.first);
}

bool is_shown(const Figures& figures, const MemoryLane& lane) {
  return lane.first == Allocation::kHost || figures.view.shows(lane.first);
}

std::optional<std::vector<Window>> memory_windows(const Figures& figures, const MemoryLane& lane) {
  if (figures.view.counts) {
    const DeviceFigures* device = iterations_for(figures, lane);
    return device != nullptr ? device->counted_windows() : std::vector<Window>();
  }
  if (figures.view.within) return std::vector<Window>{*figures.view.within};
  return std::nullopt;
}

}  // namespace deepprof
