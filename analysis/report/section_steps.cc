// The optimizer steps that the job's framework told of.
#include <cmath>

#include "analysis/device/steps.h"
#include "analysis/report/device_sections.h"
#include "analysis/report/step_times.h"
#include "analysis/report/use_cell.h"

namespace deepprof {

Table steps_table(const Trace& trace) {
  Table table;
  table.name = "steps";
  table.title = "STEPS";
  table.columns = {{"step", Unit::none, ""},
                   {"start_ns", Unit::none, "start"},  // instants in the trace's clock, not lengths
                   {"end_ns", Unit::none, "end"},
                   {"duration_ns", Unit::nanoseconds, "duration"},
                   {"optimizer_ns", Unit::nanoseconds, "in the optimizer"},
                   {"process_cpu_ratio", Unit::ratio, "process CPU"},
                   {"cpu_energy_mj", Unit::millijoules, "CPU energy"}};
  const SampleIndex samples(trace);
  const Steps steps = find_steps(samples);
  const HostMeter host(samples);
  for (size_t i = 0; i < steps.windows.size(); ++i) {
    const Window& window = steps.windows[i];
    const HostUse use = host.in(window);
    table.rows.push_back({static_cast<int64_t>(i + 1), window.start_ns, window.end_ns,
                          window.end_ns - window.start_ns, steps.optimizer_ns[i],
                          cell_of(use.process_cpu_ratio, Unit::ratio),
                          cell_of(use.cpu_energy_mj, Unit::millijoules)});
  }
  return table;
}

Table step_times_table(const Trace& trace) {
  Table table;
  table.name = "step_times";
  table.title = "STEPS";
  table.columns = {{"steps", Unit::count, ""},
                   {"median_ns", Unit::nanoseconds, "median"},
                   {"mean_ns", Unit::nanoseconds, "mean"},
                   {"p95_ns", Unit::nanoseconds, "p95"},
                   {"max_ns", Unit::nanoseconds, "max"},
                   {"steps_per_s", Unit::none, "steps/s"},
                   {"optimizer_ratio", Unit::ratio, "in the optimizer"}};
  const Steps steps = find_steps(SampleIndex(trace));
  const std::optional<StepTimes> times = step_times(steps);
  if (!times) return table;
  const Distribution& of = times->length;
  std::vector<Cell> row{static_cast<int64_t>(steps.count), of.median_ns, std::llround(of.mean_ns)};
  if (times->with_p95) row.emplace_back(of.p95_ns);
  else row.emplace_back(NotAvailable{"fewer than 20 steps"});
  row.emplace_back(of.max_ns);
  row.emplace_back(times->per_s);
  row.emplace_back(times->in_optimizer_ratio);
  table.rows.push_back(std::move(row));
  return table;
}

}  // namespace deepprof
