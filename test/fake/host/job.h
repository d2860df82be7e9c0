// The job: the recording's calls, launched from as many threads as the recording has.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "analysis/export/recording_format.h"
#include "test/fake/driver.h"
#include "test/fake/host/options.h"

namespace deepprof::fake {

// One thing a thread does: a call with its ops, an op whose launch was not recorded, a wait, an
// overhead.
struct Step {
  int64_t at_ns;
  uint32_t call = recording::kNone, sync = recording::kNone, overhead = recording::kNone;
  uint32_t first_op = 0, op_count = 0;                  // into Job::ops_in_launch_order()
  uint32_t first_allocation = 0, allocation_count = 0;  // into Job::allocations_
  uint64_t before = 0;                                  // records of all threads before this step
};

// The kernel names that the driver's modules hold. A reload puts other names at the same addresses.
class Modules {
 public:
  explicit Modules(const std::vector<std::string>& names);
  const char* const* names() const { return pointers_.data(); }
  void reload();

 private:
  std::vector<std::string> storage_;
  std::vector<const char*> pointers_;
  uint32_t generation_ = 0;
};

class Job {
 public:
  Job(recording::Recording recording, const Options& options);

  void start();             // starts the threads
  void wait();              // until they are done; then until the GPU is, unless --no-sync
  double progress() const;  // share of the run done, roughly
  void launch_once();       // one step of the first thread, from the calling thread

 private:
  struct Plan {
    uint32_t thread = 0;
    std::vector<Step> steps;
  };
  // Where a thread's next step stands, in records of the whole job. On a cache line of its own.
  struct alignas(64) Reached {
    std::atomic<uint64_t> records{0};
  };

  void plan_steps();
  void attach_allocations();
  void order_steps();
  void run(const Plan& plan);
  void run_once(const Plan& plan, uint64_t repeat, uint64_t& launched);
  void submit(const Plan& plan, const Step& step, uint64_t repeat);
  void pace(const Step& step, uint64_t repeat) const;
  void keep_together(const Plan& plan, uint64_t next);
  bool goes_on(uint64_t repeat) const;
  int64_t shift_ns(uint64_t repeat) const;

  recording::Recording recording_;
  Options options_;
  Modules modules_;
  std::vector<ApiCall> apis_;  // by name
  std::vector<const recording::Op*> ops_;
  std::vector<const recording::Allocation*> allocations_;
  std::vector<Plan> plans_;
  std::vector<std::thread> threads_;
  std::vector<Reached> reached_;  // by plan
  uint64_t records_ = 0;          // of one repeat, all threads
  int64_t first_ns_ = 0, span_ns_ = 0;
  uint32_t correlations_ = 0;
  int64_t began_monotonic_ns_ = 0, began_realtime_ns_ = 0;
  std::atomic<uint64_t> steps_done_{0};
  uint64_t steps_ = 0;
};

}  // namespace deepprof::fake
