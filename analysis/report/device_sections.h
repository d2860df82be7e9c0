// The tables of what was sampled: the use of GPUs and host by run, section and iteration, and the
// samples themselves. Column names are stable: people's scripts read them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "analysis/device/usage.h"
#include "analysis/report/figures.h"
#include "analysis/report/sections.h"
#include "analysis/report/table.h"

namespace deepprof {

// The use of some of a device's iterations: means over those whose energy is known.
struct IterationUse {
  size_t counted = 0, with_energy = 0;
  std::optional<double> energy_mj;  // of a mean iteration
};
// Of the counted ones.
IterationUse iteration_use(const GpuMeter& meter, const DeviceFigures& device);

// The run as figures and samples have it; of one without GPU ops the samples of the process.
Window run_of(const Figures& figures, const HostMeter& host);

// A row for the run and for each section of every sampled GPU, those that the job does not use
// included. The run's row is of the part that was sampled. `batch`: items an iteration, 0: not
// known.
Table gpu_use_table(const Trace& trace, const Figures& figures, double batch, Names names);

// The same of the host: of the run, and of each section of the device with most GPU time.
Table host_use_table(const Trace& trace, const Figures& figures, Names names);

// A row for each sample: time, device or "host" or "thread N", metric, value.
Table samples_table(const Trace& trace);

// Energy, power, utilization, memory, temperature, clock and CPU of iterations, for people energy
// and CPU alone. The samples are looked through once, however many tables they are added to.
class UseColumns {
 public:
  UseColumns(const Trace& trace, double batch, Names names);
  // `iterations`: the table of `rows`. Nothing is added where the trace has no samples.
  void add(std::span<const IterationOfRow> rows, Table& iterations);

 private:
  const GpuMeter& gpu(uint32_t device);

  const double batch_;
  const bool sampled_, whole_;
  const SampleIndex samples_;
  const HostMeter host_;
  std::map<uint32_t, GpuMeter> gpus_;
};

// Items an iteration as given, else as the trace has it from DEEPPROF_BATCH; 0: not known.
double batch_of(const Trace& trace, double given);

// A row for each step that the job's framework told of: its length, the optimizer's part, CPU and
// energy.
Table steps_table(const Trace& trace);
// How long they take: one row, none where fewer than two were told of.
Table step_times_table(const Trace& trace);

// What a reader must know of the figures: where energy comes from, iterations shorter than the
// sampling.
std::vector<std::string> use_notes(const Trace& trace, const Figures& figures);

}  // namespace deepprof
