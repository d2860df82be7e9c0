#include <cmath>
#include <functional>

#include "analysis/compare/sweep.h"
#include "analysis/compare/words.h"
#include "analysis/report/page.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

struct SweepColumn {
  Column column;
  bool for_people;
  std::function<double(const SweepPoint&)> value;  // NaN: not known
};

double measured(const SweepPoint& point, Measure measure) {
  const Measured& value = (*point.run)[measure];
  return value.known && !point.run->whole_run ? value.mean : NAN;
}
std::function<double(const SweepPoint&)> mean_of(Measure measure) {
  return [measure](const SweepPoint& point) { return measured(point, measure); };
}

std::vector<SweepColumn> columns_of(const Sweep& sweep) {
  const auto batch = [](const SweepPoint& p) { return p.run->batch > 0 ? p.run->batch : NAN; };
  return {
      {{"batch", Unit::none, ""}, sweep.by != "batch", batch},
      {{"iteration_ns", Unit::nanoseconds, "iteration"},
       true,
       [](const SweepPoint& p) { return p.time_ns; }},
      {{"iteration_low_ns", Unit::nanoseconds, ""},
       false,
       [](const SweepPoint& p) { return p.low_ns; }},
      {{"iteration_high_ns", Unit::nanoseconds, ""},
       false,
       [](const SweepPoint& p) { return p.high_ns; }},
      {{"typical_ns", Unit::nanoseconds, ""},
       false,
       [](const SweepPoint& p) {
         return std::isnan(p.time_ns) ? NAN : (*p.run)[Measure::iteration].typical;
       }},
      {{"iterations_per_s", Unit::none, "it/s"},
       true,
       [](const SweepPoint& p) { return 1e9 / p.time_ns; }},
      {{"items_per_s", Unit::none, "items/s"},
       true,
       [](const SweepPoint& p) { return p.items_per_s; }},
      {{"pace", Unit::none, "x first"}, true, [](const SweepPoint& p) { return p.pace; }},
      {{"busy_ratio", Unit::ratio, "GPU busy"}, true, mean_of(Measure::busy)},
      {{"utilization_ratio", Unit::ratio, "NVML"}, true, mean_of(Measure::utilization)},
      {{"power_mw", Unit::milliwatts, "power"}, true, mean_of(Measure::power)},
      {{"energy_mj", Unit::millijoules, "per iteration"},
       !sweep.per_item,
       mean_of(Measure::energy)},
      {{"energy_per_item_mj", Unit::millijoules, "per item"},
       true,
       [](const SweepPoint& p) { return p.energy_per_item_mj; }},
      {{"memory_bytes", Unit::bytes, "memory"}, true, mean_of(Measure::memory)},
      {{"temperature_c", Unit::celsius, "temp"}, true, mean_of(Measure::temperature)},
      {{"process_cpu_ratio", Unit::ratio, "CPU"}, true, mean_of(Measure::process_cpu)},
      {{"host_memory_bytes", Unit::bytes, "host memory"}, true, mean_of(Measure::host_memory)},
      {{"cost", Unit::none, sweep.per_item ? "per M items" : "per M iterations"},
       true,
       [](const SweepPoint& p) { return p.cost; }},
  };
}

}  // namespace

Table sweep_table(const Sweep& sweep, bool for_people) {
  Table table;
  table.name = "sweep";
  const std::string varied = varied_name(sweep.by);
  table.columns = {{"value", Unit::none, varied}};
  if (sweep.by != "run") table.columns.push_back({"run", Unit::none, ""});
  const bool names_gpu = sweep.by != "gpu";
  if (names_gpu) table.columns.push_back({"gpu", Unit::none, "GPU"});
  if (!for_people) table.columns.insert(table.columns.begin(), {"by", Unit::none, ""});
  for (const SweepPoint& point : sweep.points) {
    std::vector<Cell> row{point.value};
    if (!for_people) row.insert(row.begin(), varied);
    if (sweep.by != "run") row.emplace_back(point.run->label);
    if (names_gpu)
      row.push_back(point.run->gpu.empty() ? Cell{NotAvailable{"not named in the trace"}}
                                           : Cell{point.run->gpu});
    table.rows.push_back(std::move(row));
  }
  for (const SweepColumn& column : columns_of(sweep)) {
    bool known = false;
    for (const SweepPoint& point : sweep.points) known = known || !std::isnan(column.value(point));
    if (for_people && (!column.for_people || !known)) continue;
    table.columns.push_back(column.column);
    for (size_t i = 0; i < sweep.points.size(); ++i) {
      const double value = column.value(sweep.points[i]);
      table.rows[i].push_back(std::isnan(value) ? Cell{NotAvailable{"not recorded"}} : Cell{value});
    }
  }
  return table;
}

std::string sweep_text(const Sweep& sweep, int width) {
  Page page(static_cast<size_t>(width > 0 ? width : kPageColumns), false);
  int number = 0;
  for (const std::string& finding : sweep.findings)
    page.paragraph(format_text("%2d ", ++number), finding);
  return page.take();
}

}  // namespace deepprof
