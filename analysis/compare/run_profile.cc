#include "analysis/compare/run_profile.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <unordered_map>

#include "analysis/device/steps.h"
#include "analysis/findings/findings.h"
#include "analysis/findings/slow.h"
#include "analysis/report/may_be_no_iteration.h"
#include "analysis/report/step_times.h"

namespace deepprof {
namespace {

constexpr uint64_t kSeed = 0x5EED;

// At most kMostSampled of `count` iterations, evenly spread.
std::vector<size_t> spread_out(size_t count) {
  const size_t kept = std::min(count, kMostSampled);
  std::vector<size_t> chosen;
  for (size_t i = 0; i < kept; ++i) chosen.push_back(i * count / kept);
  return chosen;
}

// A figure with a value for each iteration: means of all of them, values of the sampled.
Measured measured(const std::vector<double>& values, const std::vector<float>& typical_weights,
                  const std::vector<size_t>& sampled_at) {
  Measured result;
  result.known = true;
  for (size_t i = 0; i < values.size(); ++i) {
    result.mean += values[i] / static_cast<double>(values.size());
    result.typical += values[i] * static_cast<double>(typical_weights[i]);
  }
  for (const size_t at : sampled_at) result.values.push_back(values[at]);
  return result;
}

void keep_durations(const std::vector<double>& durations, RunProfile& profile) {
  Measured& iteration = profile[Measure::iteration];
  iteration =
      measured(durations, weights_of(durations, Over::typical), spread_out(durations.size()));
  profile.resamples = Resamples(iteration.values, kSeed);
}

// Every run is profiled by the same steps; `counted` and `sampled` are indices into
// mined->iterations.
class Profiler {
 public:
  Profiler(const Trace& trace, const Figures& figures, const DeviceFigures& device,
           RunProfile& profile)
      : trace_(trace),
        figures_(figures),
        device_(device),
        profile_(profile),
        counted_(device.counted),
        sampled_at_(spread_out(device.counted.size())) {
    for (const size_t at : sampled_at_) sampled_.push_back(counted_[at]);
    for (const uint32_t i : counted_)
      durations_.push_back(static_cast<double>(device_.iterations[i].wall_ns));
    typical_ = weights_of(durations_, Over::typical);
  }

  void run() {
    keep_durations(durations_, profile_);
    times();
    ops();
    calls();
    profile_.clock_ns = clock_step();
    // aligning whole runs takes too long, and no op could be judged
    if (profile_.whole_run) return;
    idle_before();
    profile_.pattern = pattern_of(trace_, figures_, device_, sampled_);
  }

 private:
  void set(Measure measure, const std::vector<double>& values) {
    profile_[measure] = measured(values, typical_, sampled_at_);
  }
  template <typename Value>
  void set_each(Measure measure, Value value) {
    std::vector<double> values;
    for (const uint32_t i : counted_) values.push_back(value(i));
    set(measure, values);
  }

  // Of the recorded time of all iterations together, as the report has it.
  template <typename Time>
  void set_share(Measure measure, Time time) {
    std::vector<double> parts, wholes;
    for (const uint32_t i : counted_) {
      parts.push_back(static_cast<double>(time(device_.iterations[i])));
      wholes.push_back(static_cast<double>(device_.iterations[i].recorded_ns()));
    }
    const Measured part = measured(parts, typical_, sampled_at_),
                   whole = measured(wholes, typical_, sampled_at_);
    Measured& share = profile_[measure];
    share.known = whole.typical > 0;
    if (!share.known) return;
    share.mean = part.mean / whole.mean;
    share.typical = part.typical / whole.typical;
    share.values = ratio_values(part.values, whole.values);
  }

  void times() {
    for (size_t part = 0; part < kParts; ++part) {
      set_each(part_measure(part), [&](uint32_t i) {
        return static_cast<double>(
            parts_of(device_.iterations[i], device_.iteration_idle[i])[part]);
      });
    }
    set_each(Measure::idle,
             [&](uint32_t i) { return static_cast<double>(device_.iterations[i].idle_ns); });
    set_share(Measure::busy, [](const Account& of) { return of.busy_ns(); });
    set_share(Measure::kernels_running, [](const Account& of) { return of.kernels_ns; });
  }

  void ops() {
    std::vector<double> kernels, in, out;
    bool sizes = false;
    for (const uint32_t i : counted_) {
      double count = 0, bytes_in = 0, bytes_out = 0;
      const Iteration& iteration = device_.mined->iterations[i];
      for (uint32_t at = iteration.first; at < iteration.last && at < device_.mined->order.size();
           ++at) {
        const Op& op = trace_.ops[device_.mined->order[at]];
        if (op.kind == Kind::kernel) ++count;
        if (op.kind != Kind::memcpy || op.detail >= trace_.details.size()) continue;
        const Detail& detail = trace_.details[op.detail];
        sizes = sizes || detail.bytes > 0;
        if (detail.copy_kind == CopyKind::host_to_device)
          bytes_in += static_cast<double>(detail.bytes);
        if (detail.copy_kind == CopyKind::device_to_host)
          bytes_out += static_cast<double>(detail.bytes);
      }
      kernels.push_back(count);
      in.push_back(bytes_in);
      out.push_back(bytes_out);
    }
    set(Measure::kernels, kernels);
    if (!sizes) return;
    set(Measure::copied_in, in);
    set(Measure::copied_out, out);
  }

  // Calls count for the window in which they begin: windows tile a section, so none is lost or
  // counted twice.
  void calls() {
    std::unordered_map<NameId, std::vector<double>> by_name;
    std::vector<double> all(counted_.size(), 0);
    size_t at = 0;
    for (const HostCall& call : trace_.calls) {
      if (call.kind != Kind::api_call) continue;
      const CallClass kind = figures_.call_class_of_name[call.name];
      if (kind != CallClass::launch) profile_.knows_blocking_calls = true;
      while (at < counted_.size() && window(at).end_ns <= call.start_ns) ++at;
      if (at == counted_.size()) break;
      if (kind != CallClass::blocking || call.start_ns < window(at).start_ns) continue;
      all[at] += 1;
      std::vector<double>& counts = by_name[call.name];
      counts.resize(counted_.size(), 0);
      counts[at] += 1;
    }
    if (!profile_.knows_blocking_calls) return;
    set(Measure::blocking_calls, all);
    for (const auto& [name, counts] : by_name) {
      CallTally tally{std::string(trace_.names[name]), {}};
      for (const size_t i : sampled_at_) tally.count.push_back(counts[i]);
      profile_.calls.push_back(std::move(tally));
    }
    std::sort(profile_.calls.begin(), profile_.calls.end(),
              [](const CallTally& a, const CallTally& b) { return a.name < b.name; });
  }
  const Iteration& window(size_t at) const { return device_.mined->iterations[counted_[at]]; }

  void idle_before() {
    std::vector<bool> is_member(trace_.ops.size(), false);
    for (const uint32_t i : counted_) {
      const Iteration& iteration = device_.mined->iterations[i];
      for (uint32_t at = iteration.first; at < iteration.last && at < device_.mined->order.size();
           ++at)
        is_member[device_.mined->order[at]] = true;
    }
    std::array<std::unordered_map<std::string, IdleBefore>, kCauses> found;
    std::array<std::unordered_map<NameId, double>, kCauses> by_name;
    for_each_gap(trace_, device_.ops, figures_.call_class_of_name, [&](const Gap& gap) {
      if (gap.after == kNone || !is_member[gap.after]) return;
      const Op& op = trace_.ops[gap.after];
      if (op.kind == Kind::kernel || op.kind == Kind::graph) {
        by_name[static_cast<size_t>(gap.cause)][op.name] += static_cast<double>(gap.duration_ns());
        return;
      }
      IdleBefore& before = found[static_cast<size_t>(gap.cause)][op_key(trace_, op)];
      before.key = before.name = op_key(trace_, op);
      before.ns += static_cast<double>(gap.duration_ns());
    });
    for (size_t cause = 0; cause < kCauses; ++cause) {
      for (const auto& [name, ns] : by_name[cause]) {
        Op op;
        op.kind = Kind::kernel;
        op.name = name;
        IdleBefore& before = found[cause][op_key(trace_, op)];
        before.key = op_key(trace_, op);
        before.name = std::string(trace_.names[name]);
        before.ns += ns;
      }
      for (auto& [key, before] : found[cause]) {
        before.ns /= static_cast<double>(counted_.size());
        profile_.idle_before[cause].push_back(std::move(before));
      }
      std::sort(profile_.idle_before[cause].begin(), profile_.idle_before[cause].end(),
                [](const IdleBefore& a, const IdleBefore& b) {
                  return a.ns != b.ns ? a.ns > b.ns : a.key < b.key;
                });
    }
  }

  // Some recorders round to whole microseconds.
  double clock_step() const {
    const bool microseconds = std::all_of(device_.ops.begin(), device_.ops.end(), [&](uint32_t i) {
      return trace_.ops[i].duration_ns % 1000 == 0;
    });
    return microseconds ? 1000 : 1;
  }

  const Trace& trace_;
  const Figures& figures_;
  const DeviceFigures& device_;
  RunProfile& profile_;
  const std::vector<uint32_t>& counted_;
  std::vector<size_t> sampled_at_;  // indices into counted_
  std::vector<uint32_t> sampled_;
  std::vector<double> durations_;
  std::vector<float> typical_;
};

// A device without iterations, as if its whole run were one.
struct WholeRun {
  DeviceMined mined;
  DeviceFigures figures;

  explicit WholeRun(const DeviceFigures& device) {
    mined.order = device.ops;
    Iteration whole;
    whole.last = static_cast<uint32_t>(device.ops.size());
    whole.start_ns = device.span.start_ns;
    whole.end_ns = device.span.end_ns;
    mined.iterations = {whole};
    figures.device = device.device;
    figures.mined = &mined;
    figures.ops = device.ops;
    figures.iterations = {device.run};
    figures.iteration_idle = {device.run_idle};
    figures.counted = {0};
  }
  WholeRun(const WholeRun&) = delete;
  WholeRun& operator=(const WholeRun&) = delete;
};

void measure_iterations(const Trace& trace, const Figures& figures, const DeviceFigures& device,
                        RunProfile& profile) {
  Profiler(trace, figures, device, profile).run();
  std::vector<Window> windows;
  for (const uint32_t i : device.counted)
    windows.push_back({device.mined->iterations[i].start_ns, device.mined->iterations[i].end_ns});
  std::vector<uint16_t> devices;
  for (const DeviceFigures& other : figures.devices) devices.push_back(other.device);
  measure_use(SampleIndex(trace), windows, devices, profile);
}

RunProfile described(const Trace& trace, const ProfileOptions& options) {
  RunProfile profile;
  profile.label = options.label;
  profile.path = options.path;
  profile.batch = options.batch;
  profile.source = trace.process.source;
  profile.rank = trace.process.rank;
  for (const auto& [key, value] : trace.process.facts) {
    if (key.rfind("tag.", 0) == 0) profile.tags.emplace_back(key.substr(4), value);
    if (key == "batch" && profile.batch <= 0) profile.batch = std::strtod(value.c_str(), nullptr);
  }
  return profile;
}

}  // namespace

RunProfile profile_run(const Trace& trace, const Figures& figures, const DeviceFigures& device,
                       const ProfileOptions& options) {
  RunProfile profile = described(trace, options);
  profile.device = device.device;
  profile.devices = figures.devices.size();
  for (const Device& known : trace.devices) {
    if (known.id != device.device) continue;
    profile.gpu = known.name;
    profile.memory_bytes = static_cast<double>(known.memory_bytes);
  }
  profile.iterations = device.counted.size();
  if (device.mined != nullptr) profile.confidence = device.mined->confidence;
  if (!device.has_iterations()) {
    profile.doubt = says_little(device)
                        ? "the iterations found are uncertain, and little of the run"
                        : "no iteration structure found";
    profile.whole_run = device.run.wall_ns > 0;
    if (profile.whole_run) measure_iterations(trace, figures, WholeRun(device).figures, profile);
    return profile;
  }
  for (const Finding& finding : Finder(trace, figures).of_device(device)) {
    if (finding.kind == FindingKind::inconclusive) profile.doubt = finding.sentence;
  }
  measure_iterations(trace, figures, device, profile);
  return profile;
}

RunProfile profile_host_run(const Trace& trace, const ProfileOptions& options) {
  RunProfile profile = described(trace, options);
  profile.on_gpu = false;
  const SampleIndex samples(trace);
  const Steps steps = find_steps(samples);
  profile.iterations = steps.windows.size();
  if (profile.iterations == 0) {
    profile.doubt = "nothing ran on a GPU, and no step was told of: " + no_steps_words(trace);
    return profile;
  }
  profile.confidence = 1;  // told, not found
  std::vector<double> durations;
  for (const Window& window : steps.windows)
    durations.push_back(static_cast<double>(window.end_ns - window.start_ns));
  keep_durations(durations, profile);
  measure_use(samples, steps.windows, {}, profile);
  return profile;
}

}  // namespace deepprof
