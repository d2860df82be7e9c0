#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <span>

#include "analysis/device/run_use.h"
#include "analysis/model/facts.h"
#include "analysis/report/device_sections.h"
#include "analysis/report/run_parts.h"
#include "analysis/report/use_cell.h"

namespace deepprof {
namespace {

template <typename Use>
struct Field {
  Column column;
  std::optional<double> Use::*value;
  bool for_people;                                // else for programs only
  enum { no, programs, everybody } of_iteration;  // who finds it among the iterations
};

const std::vector<Field<GpuUse>>& gpu_fields() {
  static const std::vector<Field<GpuUse>> fields{
      {{"energy_mj", Unit::millijoules, "energy"},
       &GpuUse::energy_mj,
       true,
       Field<GpuUse>::everybody},
      {{"power_mw", Unit::milliwatts, "power"}, &GpuUse::power_mw, true, Field<GpuUse>::programs},
      {{"utilization_ratio", Unit::ratio, "NVML util"},
       &GpuUse::utilization_ratio,
       true,
       Field<GpuUse>::programs},
      {{"memory_peak_bytes", Unit::bytes, "memory"},
       &GpuUse::memory_peak_bytes,
       true,
       Field<GpuUse>::programs},
      {{"process_memory_peak_bytes", Unit::bytes, ""},
       &GpuUse::process_memory_peak_bytes,
       false,
       Field<GpuUse>::no},
      {{"temperature_max_c", Unit::celsius, "temp"},
       &GpuUse::temperature_max_c,
       true,
       Field<GpuUse>::programs},
      {{"sm_clock_mhz", Unit::none, "SM MHz"},
       &GpuUse::sm_clock_mhz,
       true,
       Field<GpuUse>::programs},
      {{"memory_clock_mhz", Unit::none, ""}, &GpuUse::memory_clock_mhz, false, Field<GpuUse>::no},
      {{"pcie_received_bytes_per_s", Unit::bytes_per_second, "pcie received"},
       &GpuUse::pcie_received_bytes_per_s,
       false,
       Field<GpuUse>::no},
      {{"pcie_sent_bytes_per_s", Unit::bytes_per_second, "pcie sent"},
       &GpuUse::pcie_sent_bytes_per_s,
       false,
       Field<GpuUse>::no},
      {{"throttled_ratio", Unit::ratio, "throttled"},
       &GpuUse::throttled_ratio,
       true,
       Field<GpuUse>::no},
  };
  return fields;
}

const std::vector<Field<HostUse>>& host_fields() {
  static const std::vector<Field<HostUse>> fields{
      {{"process_cpu_ratio", Unit::ratio, "process CPU"},
       &HostUse::process_cpu_ratio,
       true,
       Field<HostUse>::everybody},
      {{"process_memory_peak_bytes", Unit::bytes, "memory"},
       &HostUse::process_memory_peak_bytes,
       true,
       Field<HostUse>::no},
      {{"process_threads", Unit::count, "threads"},
       &HostUse::process_threads_most,
       true,
       Field<HostUse>::no},
      {{"children_cpu_ratio", Unit::ratio, ""},
       &HostUse::children_cpu_ratio,
       false,
       Field<HostUse>::no},
      {{"children_memory_peak_bytes", Unit::bytes, ""},
       &HostUse::children_memory_peak_bytes,
       false,
       Field<HostUse>::no},
      {{"children", Unit::count, ""}, &HostUse::children_most, false, Field<HostUse>::no},
      {{"read_bytes", Unit::bytes, "read"}, &HostUse::process_read_bytes, true, Field<HostUse>::no},
      {{"written_bytes", Unit::bytes, "written"},
       &HostUse::process_written_bytes,
       true,
       Field<HostUse>::no},
      {{"minor_faults", Unit::count, ""}, &HostUse::minor_faults, false, Field<HostUse>::no},
      {{"major_faults", Unit::count, ""}, &HostUse::major_faults, false, Field<HostUse>::no},
      {{"voluntary_switches", Unit::count, ""},
       &HostUse::voluntary_switches,
       false,
       Field<HostUse>::no},
      {{"involuntary_switches", Unit::count, ""},
       &HostUse::involuntary_switches,
       false,
       Field<HostUse>::no},
      {{"system_cpu_ratio", Unit::ratio, "all cores"},
       &HostUse::system_cpu_ratio,
       true,
       Field<HostUse>::no},
      {{"system_io_wait_ratio", Unit::ratio, ""},
       &HostUse::system_io_wait_ratio,
       false,
       Field<HostUse>::no},
      {{"system_memory_peak_bytes", Unit::bytes, ""},
       &HostUse::system_memory_peak_bytes,
       false,
       Field<HostUse>::no},
      {{"cpu_temperature_max_c", Unit::celsius, "temp"},
       &HostUse::cpu_temperature_max_c,
       true,
       Field<HostUse>::no},
      {{"cpu_energy_mj", Unit::millijoules, "CPU energy"},
       &HostUse::cpu_energy_mj,
       true,
       Field<HostUse>::programs},
      {{"cpu_power_mw", Unit::milliwatts, ""}, &HostUse::cpu_power_mw, false, Field<HostUse>::no},
  };
  return fields;
}

template <typename Use, typename Wanted>
void add_columns(const std::vector<Field<Use>>& fields, Wanted wanted, Table& table) {
  for (const Field<Use>& field : fields) {
    if (wanted(field)) table.columns.push_back(field.column);
  }
}

template <typename Use, typename Wanted>
void add_cells(const std::vector<Field<Use>>& fields, Wanted wanted, const Use& use,
               std::vector<Cell>& row) {
  for (const Field<Use>& field : fields) {
    if (wanted(field)) row.push_back(cell_of(use.*field.value, field.column.unit));
  }
}

// For people: what is known of no row. Why is in the notes.
void drop_unknown_columns(Table& table) {
  for (size_t column = table.columns.size(); column-- > 0;) {
    const bool known =
        std::any_of(table.rows.begin(), table.rows.end(), [column](const std::vector<Cell>& row) {
          return !std::holds_alternative<NotAvailable>(row[column]);
        });
    if (known || table.rows.empty()) continue;
    const auto at = static_cast<std::ptrdiff_t>(column);
    table.columns.erase(table.columns.begin() + at);
    for (std::vector<Cell>& row : table.rows) row.erase(row.begin() + at);
  }
}

IterationUse use_of(const GpuMeter& meter, const DeviceMined& mined,
                    std::span<const uint32_t> iterations) {
  IterationUse use;
  double energy_mj = 0;
  for (const uint32_t index : iterations) {
    const Iteration& iteration = mined.iterations[index];
    const std::optional<double> of_one = meter.in({iteration.start_ns, iteration.end_ns}).energy_mj;
    ++use.counted;
    if (!of_one) continue;
    ++use.with_energy;
    energy_mj += *of_one;
  }
  if (use.with_energy > 0) use.energy_mj = energy_mj / static_cast<double>(use.with_energy);
  return use;
}

// The iterations that the energy per iteration of a part is of: the counted ones, of which a part
// without any (warm-up, evaluation) has its own.
std::vector<uint32_t> iterations_of(const RunPart& part, const DeviceFigures& device) {
  if (part.name == RunPart::kRun) return device.counted;
  // By its middle: the part may be cut to what was sampled.
  const auto lies_in_part = [&](uint32_t index) {
    const Iteration& iteration = device.mined->iterations[index];
    const int64_t middle_ns = iteration.start_ns + (iteration.end_ns - iteration.start_ns) / 2;
    return middle_ns >= part.window.start_ns && middle_ns < part.window.end_ns;
  };
  std::vector<uint32_t> counted, all;
  std::copy_if(device.counted.begin(), device.counted.end(), std::back_inserter(counted),
               lies_in_part);
  for (uint32_t index = 0; index < device.mined->iterations.size(); ++index) {
    if (lies_in_part(index)) all.push_back(index);
  }
  return counted.empty() ? all : counted;
}

// What was counted while the run was sampled: the part "run" is then of the samples that are left.
RunPart whole_run(const RunTotals& totals) { return {"whole run", -1, totals.span()}; }

std::vector<Cell> part_cells(const RunPart& part) {
  std::vector<Cell> row{part.name};
  if (part.iterations >= 0) row.emplace_back(part.iterations);
  else row.emplace_back(NotAvailable{"the job runs nothing on it, or not counted"});
  row.emplace_back(part.window.end_ns - part.window.start_ns);
  return row;
}

const std::vector<Column> kPartColumns{{"part", Unit::none, ""},
                                       {"iterations", Unit::count, ""},
                                       {"duration_ns", Unit::nanoseconds, "duration"}};

}  // namespace

Window run_of(const Figures& figures, const HostMeter& host) {
  return figures.devices.empty() ? host.span() : run_of(figures);
}

IterationUse iteration_use(const GpuMeter& meter, const DeviceFigures& device) {
  return use_of(meter, *device.mined, device.counted);
}

Table gpu_use_table(const Trace& trace, const Figures& figures, double batch, Names names) {
  const bool whole = names == Names::raw;
  const auto wanted = [whole](const Field<GpuUse>& field) { return whole || field.for_people; };
  Table table;
  table.name = "gpu_use";
  table.title = "GPUS";
  table.columns = {{"device", Unit::none, ""}};
  table.columns.insert(table.columns.end(), kPartColumns.begin(), kPartColumns.end());
  add_columns(gpu_fields(), wanted, table);
  table.columns.push_back({"iteration_energy_mj", Unit::millijoules, "per iteration"});
  if (batch > 0) table.columns.push_back({"item_energy_mj", Unit::millijoules, "per item"});
  if (whole) table.columns.push_back({"energy_source", Unit::none, ""});

  const SampleIndex samples(trace);
  const RunUse of_run(trace, samples);
  const RunTotals& totals = of_run.totals();
  const Window run = run_of(figures, HostMeter(samples));
  for (const uint32_t gpu : of_run.gpus()) {
    if (!figures.view.shows(gpu)) continue;
    const GpuMeter meter(samples, gpu);
    const DeviceFigures* device = figures_of(figures, gpu);
    if (of_run.counted()) {
      std::vector<Cell> row{int64_t{gpu}};
      for (Cell& cell : part_cells(whole_run(totals))) row.push_back(std::move(cell));
      add_cells(gpu_fields(), wanted, totals.gpu(gpu), row);
      row.push_back(NotAvailable{"see the part run"});
      if (batch > 0) row.push_back(NotAvailable{"see the part run"});
      if (whole) row.emplace_back(std::string(energy_source_words(totals.energy_source(gpu))));
      table.rows.push_back(std::move(row));
    }
    for (const RunPart& part : parts_of_run(device, meter.sampled_part(run))) {
      std::vector<Cell> row{int64_t{gpu}};
      for (Cell& cell : part_cells(part)) row.push_back(std::move(cell));
      const GpuUse use = meter.in(part.window);
      add_cells(gpu_fields(), wanted, use, row);
      std::optional<double> each;
      if (device != nullptr && device->mined != nullptr)
        each = use_of(meter, *device->mined, iterations_of(part, *device)).energy_mj;
      row.push_back(cell_of(each, Unit::millijoules));
      if (batch > 0)
        row.push_back(cell_of(each ? std::optional(*each / batch) : each, Unit::millijoules));
      if (whole) row.emplace_back(std::string(energy_source_words(meter.energy_source())));
      table.rows.push_back(std::move(row));
    }
  }
  if (totals.damaged()) table.notes.emplace_back(kTotalsDamaged);
  if (!whole) drop_unknown_columns(table);
  return table;
}

Table host_use_table(const Trace& trace, const Figures& figures, Names names) {
  const bool whole = names == Names::raw;
  const auto wanted = [whole](const Field<HostUse>& field) { return whole || field.for_people; };
  Table table;
  table.name = "host_use";
  table.title = "HOST";
  table.columns = kPartColumns;
  add_columns(host_fields(), wanted, table);
  const SampleIndex samples(trace);
  const HostMeter meter(samples);
  const DeviceFigures* main = figures.devices.empty() ? nullptr : &figures.main();
  const Window run = run_of(figures, meter);
  if (run.end_ns <= run.start_ns || samples.empty()) return table;
  const RunUse of_run(trace, samples);
  if (of_run.totals().damaged()) table.notes.emplace_back(kTotalsDamaged);
  if (of_run.counted()) {
    std::vector<Cell> row = part_cells(whole_run(of_run.totals()));
    add_cells(host_fields(), wanted, of_run.host(run), row);
    table.rows.push_back(std::move(row));
  }
  for (const RunPart& part : parts_of_run(main, run)) {
    std::vector<Cell> row = part_cells(part);
    add_cells(host_fields(), wanted, meter.in(part.window), row);
    table.rows.push_back(std::move(row));
  }
  if (!whole) drop_unknown_columns(table);
  return table;
}

Table samples_table(const Trace& trace) {
  Table table;
  table.name = "samples";
  // an instant in the trace's clock, not a length
  table.columns = {{"time_ns", Unit::none, "time"},
                   {"device", Unit::none, ""},
                   {"metric", Unit::none, ""},
                   {"value", Unit::none, ""}};
  for (const Sample& sample : trace.samples) {
    const MetricInfo* info = find_metric(trace.names[sample.metric]);
    std::vector<Cell> row{sample.time_ns};
    if (info == nullptr || info->scope != MetricScope::gpu) {
      row.emplace_back(owner_words(trace.names[sample.metric], sample.device));
    } else {
      row.emplace_back(int64_t{sample.device});
    }
    row.emplace_back(std::string(trace.names[sample.metric]));
    row.emplace_back(sample.value);
    table.rows.push_back(std::move(row));
  }
  return table;
}

UseColumns::UseColumns(const Trace& trace, double batch, Names names)
    : batch_(batch),
      sampled_(!trace.samples.empty()),
      whole_(names == Names::raw),
      samples_(trace),
      host_(samples_) {}

const GpuMeter& UseColumns::gpu(uint32_t device) {
  return gpus_.try_emplace(device, samples_, device).first->second;
}

void UseColumns::add(std::span<const IterationOfRow> rows, Table& iterations) {
  if (!sampled_) return;
  const auto of_gpu = [&](const Field<GpuUse>& field) {
    return whole_ ? field.of_iteration != field.no : field.of_iteration == field.everybody;
  };
  const auto of_host = [&](const Field<HostUse>& field) {
    return whole_ ? field.of_iteration != field.no : field.of_iteration == field.everybody;
  };
  add_columns(gpu_fields(), of_gpu, iterations);
  if (batch_ > 0) iterations.columns.push_back({"item_energy_mj", Unit::millijoules, "per item"});
  add_columns(host_fields(), of_host, iterations);
  for (size_t i = 0; i < rows.size(); ++i) {
    std::vector<Cell>& row = iterations.rows[i];
    const DeviceFigures& device = *rows[i].device;
    const Iteration& iteration = device.mined->iterations[rows[i].index];
    const Window window{iteration.start_ns, iteration.end_ns};
    const GpuUse use = gpu(device.device).in(window);
    add_cells(gpu_fields(), of_gpu, use, row);
    if (batch_ > 0) {
      row.push_back(cell_of(use.energy_mj ? std::optional(*use.energy_mj / batch_) : std::nullopt,
                            Unit::millijoules));
    }
    add_cells(host_fields(), of_host, host_.in(window), row);
  }
}

double batch_of(const Trace& trace, double given) {
  if (given > 0) return given;
  const std::string* batch = find_fact(trace, "batch");
  return batch != nullptr ? std::max(0.0, std::atof(batch->c_str())) : 0;
}

}  // namespace deepprof
