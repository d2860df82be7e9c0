// A simulated training job, op by op, with its truth: for the tests and benchmarks of the online
// miner. Seeded; endless; holds one iteration at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "libdeepprof/event/event.h"

namespace deepprof::test {

using Ops = std::vector<uint32_t>;

// A training step: input, `layers` equal blocks forward and backward, optimizer. Names from
// `first_name`.
inline Ops training_step(uint32_t layers, uint32_t first_name = 1) {
  const auto name = [first_name](uint32_t k) { return first_name + k; };
  Ops ops{name(0), name(1), name(2), name(1)};
  const uint32_t forward[] = {3, 4, 5, 6, 4, 7, 8, 9, 4, 10, 11, 12};
  const uint32_t backward[] = {13, 4, 14, 5, 15, 4, 16, 17, 18, 4, 19, 8, 20, 4, 21, 22, 23, 24};
  for (uint32_t layer = 0; layer < layers; ++layer)
    for (const uint32_t k : forward) ops.push_back(name(k));
  for (const uint32_t k : {25u, 26u, 27u}) ops.push_back(name(k));
  for (uint32_t layer = 0; layer < layers; ++layer)
    for (const uint32_t k : backward) ops.push_back(name(k));
  for (uint32_t k = 0; k < 20; ++k) ops.push_back(name(28 + k % 4));
  return ops;
}

class Job {
 public:
  // noise: probability that an op is deleted, replaced, or preceded by another one, a third each.
  Job(uint32_t seed, double noise) : random_(seed), noise_(static_cast<uint64_t>(noise * 0x1p53)) {}

  // Appends one iteration to the stream.
  void run(const Ops& iteration) {
    begins.push_back(events.size());
    ++iterations;
    for (const uint32_t name : iteration) {
      if ((random_() >> 11) < noise_) {
        const auto kind = random_() % 3;
        if (kind == 0) continue;
        emit(static_cast<uint32_t>(1 + random_() % kNames));
        if (kind == 1) continue;
      }
      emit(name);
    }
    time_ns_ += idle_ns;
    ends.push_back(events.size());
  }
  void run(const Ops& iteration, size_t times) {
    for (size_t i = 0; i < times; ++i) run(iteration);
  }
  // Ops that belong to no iteration.
  void run_other(size_t count) {
    for (size_t i = 0; i < count; ++i) emit(static_cast<uint32_t>(1 + random_() % kNames));
  }
  // A checkpoint: ops of one name that no iteration has, then the host's wait.
  void save(size_t count, int64_t wait_ns) {
    for (size_t i = 0; i < count; ++i) emit(kNames + 1);
    time_ns_ += wait_ns;
  }
  // Loses the last `count` ops, as a lost buffer does.
  void lose(size_t count) {
    events.resize(events.size() - std::min(count, events.size()));
    ends.back() = std::min(ends.back(), events.size());
  }
  uint64_t below(uint64_t bound) { return random_() % bound; }

  std::vector<Event> events;
  std::vector<size_t> begins, ends;  // where in `events` each iteration does
  uint64_t iterations = 0;
  int64_t idle_ns = 100'000;  // after an iteration

 private:
  static constexpr uint32_t kNames = 120;

  void emit(uint32_t name) {
    Event op;
    op.start_ns = time_ns_;
    op.set_duration(static_cast<int64_t>(1'000 + name * 100));
    op.set_kind(Kind::kernel, false);
    op.correlation = ++correlation_;
    op.name = name;
    op.track = 7;
    events.push_back(op);
    time_ns_ += op.duration_ns() + 500;
  }

  std::mt19937_64 random_;
  uint64_t noise_;
  int64_t time_ns_ = 1'000'000'000;
  uint32_t correlation_ = 0;
};

}  // namespace deepprof::test
