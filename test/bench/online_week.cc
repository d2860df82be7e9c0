// The online miner on a simulated week: a training job with evaluations, 2 * 10^9 GPU ops by
// default, at one rate of noise. Prints time an op (generation left out), count error, and memory
// at the start and the end: it must not grow.
//
//   online_week [noise in %, default 1] [millions of ops, default 2000] [layers of the model,
//   default 24]
#include <sys/resource.h>
#include <time.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "analysis/online/online_miner.h"
#include "test/online/job.h"

namespace {

using deepprof::Event;
using deepprof::OpRange;
using deepprof::test::Ops;

// Repeats iterations with noise at well under the cost of following them: gaps between two edits
// are drawn, not every op.
class Week {
 public:
  Week(double noise) : noise_(noise) { draw_gap(); }

  void append(const Ops& iteration, std::vector<Event>& out) {
    for (const uint32_t name : iteration) {
      if (gap_-- > 0) {
        emit(name, out);
        continue;
      }
      draw_gap();
      const uint64_t kind = next() % 3;
      if (kind > 0) emit(static_cast<uint32_t>(1 + next() % 120), out);
      if (kind == 2) emit(name, out);
    }
    time_ns_ += 100'000;
  }

 private:
  uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  void draw_gap() {
    const double uniform = (static_cast<double>(next() >> 11) + 1) * 0x1p-53;
    gap_ = noise_ > 0 ? static_cast<int64_t>(std::log(uniform) / std::log1p(-noise_)) : INT64_MAX;
  }
  void emit(uint32_t name, std::vector<Event>& out) {
    Event op;
    op.start_ns = time_ns_;
    op.set_duration(1'000 + name * 100 + (correlation_ & 255));
    op.set_kind(deepprof::Kind::kernel, false);
    op.correlation = ++correlation_;
    op.name = name;
    op.track = 7;
    out.push_back(op);
    time_ns_ += op.duration_ns() + 500;
  }

  double noise_;
  uint64_t state_ = 88172645463325252u;
  int64_t gap_ = 0, time_ns_ = 1'000'000'000;
  uint32_t correlation_ = 0;
};

// Of this thread: the figures hold on a busy machine, too.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Nothing : deepprof::FollowSink {
  void begins(size_t, uint32_t) override {}
  void turns_into(uint32_t) override {}
  void matched(size_t, size_t, deepprof::PatternPlace) override {}
  void unexplained(size_t, size_t) override {}
};

// Following without statistics: ns an op over these ops, many times.
double following_alone_ns(const deepprof::Pattern& pattern, const std::vector<Event>& ops) {
  std::vector<uint32_t> names(ops.size());
  for (size_t i = 0; i < ops.size(); ++i) names[i] = ops[i].name;
  deepprof::Follower follower(pattern);
  Nothing sink;
  constexpr int kRounds = 200;
  const double start = cpu_seconds();
  for (int round = 0; round < kRounds; ++round) follower.follow(names, true, sink);
  return (cpu_seconds() - start) / kRounds / static_cast<double>(ops.size()) * 1e9;
}

double resident_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

int main(int argc, char** argv) {
  const double noise = argc > 1 ? std::strtod(argv[1], nullptr) / 100 : .01;
  const double wanted = (argc > 2 ? std::strtod(argv[2], nullptr) : 2000) * 1e6;
  const auto layers = static_cast<uint32_t>(argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 24);
  const Ops training = deepprof::test::training_step(layers),
            evaluation = deepprof::test::training_step(3, 60);

  Week week(noise);
  std::vector<Event> chunk;
  std::vector<size_t> begins;  // of the first chunks: what the offline miner is told
  uint64_t iterations = 0;
  const auto generate = [&] {
    chunk.clear();
    for (int step = 0; step < 60; ++step, ++iterations) {
      if (iterations % 250 >= 240) {  // 10 steps of evaluation after 240 of training
        begins.push_back(chunk.size());
        week.append(evaluation, chunk);
      } else {
        begins.push_back(chunk.size());
        week.append(training, chunk);
      }
    }
  };

  // The offline answers: where the iterations of the first ops truly begin. Later ones are
  // followed.
  std::vector<size_t> step_begins;
  deepprof::OnlineMiner miner(0, [&](std::span<const Event> ops) {
    deepprof::MinedStretch found{deepprof::Verdict::iteration, .9, "the truth", {}};
    const size_t offset = ops.front().correlation - 1;
    for (size_t i = 0; i + 1 < step_begins.size(); ++i) {
      if (step_begins[i] < offset) continue;
      if (step_begins[i + 1] > offset + ops.size()) break;
      found.tiles.push_back({static_cast<uint32_t>(step_begins[i] - offset),
                             static_cast<uint32_t>(step_begins[i + 1] - offset)});
    }
    return found;
  });
  double ops = 0, seconds = 0, warm_mib = 0;
  while (ops < wanted) {
    begins.clear();
    generate();
    if (ops < 2e6)
      for (const size_t begin : begins) step_begins.push_back(begin + static_cast<size_t>(ops));
    const double start = cpu_seconds();
    miner.add(chunk);
    seconds += cpu_seconds() - start;
    ops += static_cast<double>(chunk.size());
    if (warm_mib == 0 && ops > 10e6) warm_mib = resident_mib();
  }
  miner.finish();
  const deepprof::RunStatistics& run = miner.statistics();
  const double error =
      static_cast<double>(run.iteration_count()) / static_cast<double>(iterations) - 1;
  std::printf(
      "noise %.1f %%  %.0f M ops  %.2f ns/op, %.2f of it following  %llu of %llu iterations (%+.3f "
      "%%)  explained %.1f %%  "
      "resident %.1f MiB after 10 M ops, %.1f MiB at the end\n",
      noise * 100, ops / 1e6, seconds / ops * 1e9, following_alone_ns(miner.pattern(), chunk),
      static_cast<unsigned long long>(run.iteration_count()),
      static_cast<unsigned long long>(iterations), error * 100,
      100 * static_cast<double>(run.explained_ops) / static_cast<double>(run.ops), warm_mib,
      resident_mib());
  for (const auto& iteration : run.iterations)
    std::printf("  pattern of %zu ops: %llu times, median %.1f us\n", iteration.ops.size(),
                static_cast<unsigned long long>(iteration.count),
                static_cast<double>(iteration.time.quantile_ns(.5)) / 1e3);
}
