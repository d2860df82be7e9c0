// A stand-in job beside a stand-in NVML of known power: what the trace says of its energy.
#include <cmath>

#include "analysis/device/run_use.h"
#include "analysis/device/usage.h"
#include "analysis/iterations/mine.h"
#include "analysis/model/dprof.h"
#include "analysis/model/facts.h"
#include "analysis/report/device_sections.h"
#include "analysis/report/summary.h"
#include "libdeepprof/trace/sample_totals.h"
#include "test/end_to_end/jobs.h"
#include "test/fake/nvml.h"
#include "test/support/catch.h"

namespace deepprof::test {
namespace {

struct Recorded {
  Trace trace;
  std::string report;
};

// So many times 1.6 seconds of a modelled job, at the speed of its recording.
Recorded record(const std::string& nvml, std::map<std::string, std::string> environment = {},
                const char* times = "1") {
  JobSpec spec = injected();
  spec.arguments = {"--speed", "recorded", "--clock", "now", "--repeat", times};
  spec.environment["FAKE_NVML"] = nvml;
  spec.environment["LD_LIBRARY_PATH"] = fake_dir() + "/nvml";
  for (const auto& [name, value] : environment) spec.environment[name] = value;
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  REQUIRE(job.traces.size() == 1);
  Result<LoadedDprof> loaded = read_dprof(job.traces[0]);
  REQUIRE(loaded);
  return {std::move(loaded.value().trace), job.errors};
}

// The largest error of the iterations whose energy is known, relative to the curve's exact
// integral.
double largest_error(const Trace& trace, const fake::PowerCurve& curve, int64_t least_length_ns) {
  const SampleIndex samples(trace);
  const GpuMeter meter(samples, 0);
  const Window run = meter.sampled_part({trace.ops.front().start_ns, trace.ops.back().end_ns()});
  double largest = 0;
  size_t known = 0;
  for (int64_t from = run.start_ns; from + least_length_ns <= run.end_ns; from += least_length_ns) {
    const int64_t to = from + least_length_ns;
    const GpuUse use = meter.in({from, to});
    REQUIRE(use.energy_mj);
    const double exact = curve.energy_mj(from, to) - curve.energy_mj(from, from);
    largest = std::max(largest, std::fabs(*use.energy_mj - exact) / exact);
    ++known;
  }
  REQUIRE(known > 0);
  return largest;
}

}  // namespace

TEST_CASE("at known power the energy of every iteration is within 1 % of the exact integral") {
  const Recorded job = record("bus=0000:01:00.0,low=250000", {}, "2");
  const SampleIndex samples(job.trace);
  const GpuMeter meter(samples, 0);
  CHECK(meter.energy_source() == EnergySource::counter);
  const Mined mined = mine(job.trace);
  REQUIRE(mined.devices.size() == 1);
  size_t known = 0;
  for (const Iteration& iteration : mined.devices[0].iterations) {
    const GpuUse use = meter.in({iteration.start_ns, iteration.end_ns});
    if (!use.energy_mj) continue;  // before the first sample, or behind the last
    ++known;
    CHECK(*use.energy_mj ==
          Approx(250'000 * static_cast<double>(iteration.end_ns - iteration.start_ns) / 1e9)
              .epsilon(0.01));
  }
  CHECK(known >= 5);
  CHECK(job.report.find("250 W") != std::string::npos);
}

TEST_CASE("what is sampled is counted over the whole run, too, and stored at the end") {
  const Recorded job = record("bus=0000:01:00.0,low=250000");
  const auto totals = SampleTotals::decode(job.trace.blobs.at(std::string(SampleTotals::kBlobKey)));
  REQUIRE(totals);
  const SampleIndex samples(job.trace);
  REQUIRE(totals->of(Metric::gpu_energy, 0) != nullptr);
  for (const auto& [key, of] : totals->series())
    CHECK(of.samples == samples.of(key.first, key.second).size());
}

TEST_CASE("a run whose samples were let go has the figures and findings of all of it") {
  JobSpec spec = injected();
  spec.arguments = {"--repeat", "30", "--rate", "300000", "--clock", "now"};
  spec.environment = {{"FAKE_NVML", "bus=0000:01:00.0,low=250000,memory=84000000000,throttle=4"},
                      {"LD_LIBRARY_PATH", fake_dir() + "/nvml"},
                      {"DEEPPROF_SAMPLE_MS", "10"},
                      {"DEEPPROF_MAX_FILE", "1M"}};
  const JobOutcome job = run_job(spec);
  require_unharmed(job);
  REQUIRE(job.traces.size() == 1);
  const Result<LoadedDprof> loaded = read_dprof(job.traces[0]);
  REQUIRE(loaded);
  const Trace& trace = loaded.value().trace;
  const SampleIndex samples(trace);
  const RunUse use(trace, samples);
  REQUIRE(use.counted());
  const GpuUse gpu = use.gpu(0, {});
  CHECK(*gpu.power_mw == Approx(250'000).epsilon(0.01));
  CHECK(gpu.memory_peak_bytes == 84e9);
  // Read back, as a slow machine leaves the exit summary no time.
  const std::string page = summary_text(trace, mine(trace), {});
  INFO(page);
  CHECK(page.find("counted over the whole run") != std::string::npos);
  CHECK(page.find("memory is in use at the peak (84.0 GB of 85.9 GB") != std::string::npos);
  CHECK(page.find("held down in 100.0 % of the samples") != std::string::npos);
}

TEST_CASE(
    "resets of the counter, calls that fail now and then, and no counter at all keep it within 1 "
    "%") {
  const fake::PowerCurve flat{250'000, 250'000, 1'000'000'000};
  for (const char* nvml :
       {"bus=0000:01:00.0,low=250000,energy_resets_ms=700,miss=TotalEnergyConsumption:4",
        "bus=0000:01:00.0,low=250000,fail=TotalEnergyConsumption:3,miss=PowerUsage:5"}) {
    CAPTURE(nvml);
    CHECK(largest_error(record(nvml).trace, flat, 200'000'000) < 0.01);
  }
}

TEST_CASE(
    "a device that the driver renumbers keeps its own power, and one that the job leaves idle is "
    "listed") {
  const Recorded job =
      record("bus=0000:01:00.0,low=23000;bus=0000:41:00.0,low=152000",
             {{"FAKE_CUDA_DEVICES", "2"}, {"FAKE_CUDA_BUS_IDS", "0000:41:00.0,0000:01:00.0"}});
  CHECK(fact_or_empty(job.trace, "gpu.0.nvml_index") == "1");
  const SampleIndex samples(job.trace);
  REQUIRE(samples.gpus() == std::vector<uint32_t>{0, 1});
  CHECK(samples.of(Metric::gpu_power, 0).front().value == 152'000);
  CHECK(samples.of(Metric::gpu_power, 1).front().value == 23'000);
  CHECK(job.report.find("not used by the job") != std::string::npos);
}

TEST_CASE("a rank of several samples the GPU that it uses, and leaves the others to their ranks") {
  const Recorded job = record("bus=0000:01:00.0;bus=0000:02:00.0",
                              {{"FAKE_CUDA_DEVICES", "2"}, {"RANK", "0"}, {"WORLD_SIZE", "2"}});
  const SampleIndex samples(job.trace);
  CHECK(samples.gpus() == std::vector<uint32_t>{0});
  CHECK(fact_or_empty(job.trace, "gpu.1.uuid").empty());
}

TEST_CASE("samples are in the clock of the GPU ops, and the process is sampled from the start") {
  const Recorded job = record("bus=0000:01:00.0");
  const SampleIndex samples(job.trace);
  const auto cpu = samples.of(Metric::process_cpu);
  REQUIRE(cpu.size() >= 5);
  CHECK(cpu.front().time_ns < job.trace.ops.back().end_ns());
  CHECK(cpu.back().time_ns > job.trace.ops.front().start_ns);
  CHECK_FALSE(samples.of(Metric::process_memory).empty());
}

TEST_CASE(
    "DEEPPROF_SAMPLE_MS=0 samples nothing, and a machine without NVML loses the GPU's part alone") {
  CHECK(record("bus=0000:01:00.0", {{"DEEPPROF_SAMPLE_MS", "0"}}).trace.samples.empty());
  const Recorded job = record("", {{"LD_LIBRARY_PATH", ""}});
  CHECK(fact_or_empty(job.trace, "na.gpu") == "libnvidia-ml.so.1 is not on this machine");
  CHECK(SampleIndex(job.trace).gpus().empty());
  CHECK_FALSE(job.trace.samples.empty());
}

TEST_CASE("an NVML that hangs costs the job nothing") {
  const Recorded job = record("bus=0000:01:00.0,slow=UtilizationRates:20000");
  CHECK_FALSE(job.trace.ops.empty());
  CHECK_FALSE(SampleIndex(job.trace).of(Metric::process_cpu).empty());
  CHECK(fact_or_empty(job.trace, "na.sampling") == "the last samples did not come in time");
}

}  // namespace deepprof::test
