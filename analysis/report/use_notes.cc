// What stands below the tables of what was sampled.
#include <cstdlib>

#include "analysis/model/facts.h"
#include "analysis/report/device_sections.h"
#include "analysis/report/quantity.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

// By what a GPU's energy is known, and of which part of the run.
std::string energy_note(uint32_t gpu, const GpuMeter& meter, Window run) {
  std::string note = format_text("GPU %u: ", gpu);
  const Window sampled = meter.sampled_part(run);
  if (const auto energy = meter.in(sampled).energy_mj) {
    note += watt_hours_text(*energy) + " in " +
            duration_text(static_cast<double>(sampled.end_ns - sampled.start_ns)) +
            " of the run's " + duration_text(static_cast<double>(run.end_ns - run.start_ns)) + ", ";
  }
  note += std::string("energy by ") + energy_source_words(meter.energy_source());
  const CounterCheck& check = meter.counter_check();
  if (check.doubted())
    note += ", though that grew by " + percent_text(*check.by_power) +
            " of the integral of sampled power";
  return note;
}

// Those that were left out as they came, and those that a file holds.
long long impossible_values(const Trace& trace, const SampleIndex& samples) {
  return std::atoll(fact_or_empty(trace, "samples_impossible").c_str()) +
         static_cast<long long>(samples.impossible());
}

}  // namespace

std::vector<std::string> use_notes(const Trace& trace, const Figures& figures) {
  std::vector<std::string> notes;
  const SampleIndex samples(trace);
  const Window run = run_of(figures, HostMeter(samples));
  bool any_energy = false;
  for (const uint32_t gpu : samples.gpus()) {
    if (!figures.view.shows(gpu)) continue;
    const GpuMeter meter(samples, gpu);
    if (meter.unusable_counter())
      notes.push_back(format_text("GPU %u: ", gpu) + kUnusableCounterWords);
    if (meter.energy_source() == EnergySource::none) continue;
    any_energy = true;
    notes.push_back(energy_note(gpu, meter, run));
    const DeviceFigures* device = figures_of(figures, gpu);
    if (device == nullptr || !device->has_iterations() ||
        device->iteration_time.median_ns >= meter.period_ns())
      continue;
    notes.push_back(format_text("GPU %u: iterations are shorter than the ", gpu) +
                    duration_text(static_cast<double>(meter.period_ns())) +
                    " between samples: each gets its share of its interval");
  }
  if (any_energy) notes.emplace_back("power and energy are of the whole GPU, whoever uses it");
  if (const long long impossible = impossible_values(trace, samples); impossible > 0)
    notes.push_back(count_text(impossible) + " sampled values that cannot be are left out");
  for (const auto& [key, value] : trace.process.facts) {
    if (key.compare(0, 3, "na.") == 0) notes.push_back("n/a: " + key.substr(3) + ": " + value);
  }
  return notes;
}

}  // namespace deepprof
