// Writes the trace of a made-up job op by op, as a host thread would launch it, with known
// iterations. The families of hard_cases.h are programs against it. Seeded: the same seed gives the
// same trace on every machine. Test code only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "test/support/truth.h"

namespace deepprof::test {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ull + 1) {}
  uint64_t next() {  // splitmix64
    uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  int between(int low, int high) {
    return low + static_cast<int>(next() % static_cast<uint64_t>(high - low + 1));
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  bool chance(double probability) { return uniform() < probability; }

 private:
  uint64_t state_;
};

// What a job launches: a kernel, copy or fill with its usual duration and stream.
struct Launch {
  std::string name;
  double us = 10;
  Kind kind = Kind::kernel;
  CopyKind copy = CopyKind::unknown;
  uint32_t stream = 7;
  uint64_t bytes = 4096;  // of a copy
};
using Launches = std::vector<Launch>;

struct JobOptions {
  double noise = 0;          // share of ops deleted, inserted or replaced (a third each)
  bool correlations = true;  // false: no launch order in the trace
  double jitter = 0;         // of the other streams' starts, in us
};

class Job {
 public:
  Job(uint64_t seed, JobOptions options = {}) : random(seed), options_(options) {}

  Random random;

  void begin_step() { step_ = steps_++; }
  void end_step() { step_ = -1; }
  void run(const Launch& launch);
  void run(const Launches& launches) {
    for (const Launch& launch : launches) run(launch);
  }
  // The ops share one correlation id and carry graph node ids, as a CUDA graph's do.
  void run_graph(const Launches& launches);
  // The host is busy outside CUDA.
  void host(double us) { host_ += us; }
  // The host waits for the device.
  void sync();

  // Loses `chunks` runs of between `least` and `most` ops, as dropped buffers do.
  void lose(int chunks, int least, int most);
  int size() const { return static_cast<int>(ops_.size()); }

  LabelledTrace finish(const std::string& name);

 private:
  struct Made {
    Op op;
    int step;
    double launched;
  };
  void emit(const Launch& launch, uint32_t correlation, uint32_t node);
  double& stream_time(uint32_t stream);

  JobOptions options_;
  Trace trace_;
  std::vector<Made> ops_;
  std::vector<Launch> seen_;  // what noise is drawn from
  std::vector<std::pair<uint32_t, double>> streams_;
  double host_ = 1000;
  uint32_t correlation_ = 100;
  int step_ = -1, steps_ = 0;
};

// Replaces every name by a number and forgets the direction of copies.
void hide_names(LabelledTrace& labelled);

}  // namespace deepprof::test
