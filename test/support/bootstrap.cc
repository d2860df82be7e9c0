#include "test/support/bootstrap.h"

#include <algorithm>
#include <map>

#include "analysis/sequence/launch_order.h"
#include "test/support/job.h"

namespace deepprof::test {
namespace {

struct RealLaunch {
  Launch launch;
  double host_us;  // from the launch before
};

}  // namespace

LabelledTrace bootstrap(const LabelledTrace& recorded, uint64_t seed, double noise) {
  const Trace& trace = recorded.trace;
  const LaunchOrder order = launch_order(trace, devices_with_ops(trace).at(0));
  std::map<int, std::vector<RealLaunch>> steps;
  int64_t last = 0;
  for (const uint32_t index : order.ops) {
    const Op& op = trace.ops[index];
    const int64_t launched = op.launch != kNone ? trace.calls[op.launch].start_ns : op.start_ns;
    const double host_us =
        last > 0 ? static_cast<double>(std::max<int64_t>(0, launched - last)) / 1000 : 0;
    last = launched;
    if (recorded.step[index] < 0) continue;
    Launch launch;
    launch.name = trace.names[op.name];
    launch.us = static_cast<double>(op.duration_ns) / 1000;
    launch.kind = op.kind;
    launch.copy = trace.details[op.detail].copy_kind;
    launch.stream = op.stream;
    steps[recorded.step[index]].push_back({launch, host_us});
  }
  Job job(seed, {.noise = noise});
  if (steps.size() < 3) return job.finish(recorded.name);
  std::vector<const std::vector<RealLaunch>*> pool;
  for (const auto& [number, launches] : steps) pool.push_back(&launches);
  for (int i = 0, count = job.random.between(20, 40); i < count; ++i) {
    job.begin_step();
    for (const RealLaunch& real : *pool[job.random.next() % pool.size()]) {
      job.host(std::max(0.0, real.host_us - 5));
      job.run(real.launch);
    }
    job.end_step();
  }
  return job.finish(recorded.name);
}

}  // namespace deepprof::test
