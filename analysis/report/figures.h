// Everything that the report says, computed once: one pass over the gaps and one sweep over the ops
// of each device. Sections, findings and verbs read it and add nothing up themselves.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/breakdown/account.h"
#include "analysis/categories/framework.h"
#include "analysis/device/memory_use.h"
#include "analysis/gaps/gaps.h"
#include "analysis/iterations/mined.h"
#include "analysis/model/trace.h"
#include "analysis/report/view.h"
#include "analysis/steps/marked_steps.h"

namespace deepprof {

// The distribution of a set of durations. All zero for an empty set (count says so).
struct Distribution {
  uint64_t count = 0;
  int64_t total_ns = 0, median_ns = 0, p95_ns = 0, p99_ns = 0, max_ns = 0;
  double mean_ns = 0, deviation_ns = 0;
};
Distribution distribution_of(std::vector<int64_t> durations);  // takes its argument to sort it
Distribution distribution_of_sorted(std::span<const int64_t> durations);  // ascending

// The idle time of one cause within the basis (below).
struct CauseFigures {
  Distribution pieces;  // gaps, clipped at the borders of iterations
  // The longest pieces that make up half of the time: how many, and how long each is at least.
  uint64_t half_count = 0;
  int64_t half_least_ns = 0, half_ns = 0;  // half_ns: together
  Gap largest;                             // the gap that holds the largest piece
  uint32_t largest_iteration = kNone;
  NameId top_after = 0;  // the op name before which most of it lies, and how much that is
  int64_t top_after_ns = 0;
  NameId top_call = 0;  // host_blocked, host_launch: the function that covers most of it
  int64_t top_call_ns = 0;
  int64_t loading_ns = 0;  // host_launch: of it, at most, while code was loaded or compiled
  NameId top_range = 0;    // host_outside: the annotation that most of it lies in; 0: none recorded
  int64_t top_range_ns = 0;
  // host_outside: the annotations that most of it lies in, most first, at most kMostDoing.
  struct Doing {
    NameId range = 0;
    int64_t ns = 0;
  };
  std::vector<Doing> doing;
  static constexpr size_t kMostDoing = 20;
  uint32_t top_wait =
      kNone;  // dependency_wait: example gap's `before` op on another stream; kNone: none
  uint32_t top_wait_after = kNone;
};

struct KernelFigures {
  NameId name = 0;
  CategoryId category = 0;
  uint64_t count = 0;
  int64_t total_ns = 0, min_ns = 0, max_ns = 0;
};

inline constexpr size_t kKindCount = static_cast<size_t>(Kind::allocation) + 1;  // the last one

struct DeviceFigures {
  uint16_t device = 0;
  const DeviceMined* mined = nullptr;  // null: the device was not mined
  std::vector<uint32_t>
      ops;  // indices into Trace::ops, by start; of a stream where the view says so
  std::vector<uint32_t> shown_ops;  // those in the view, where it is not whole: read shown()
  std::array<uint64_t, kKindCount> ops_of_kind{};  // of those in the view, by number of Kind
  int64_t gpu_time_ns = 0;  // of those in the view: summed durations (streams added)
  Window span;              // first start to last end of the device's ops, cut to the view
  Account run;              // of the span
  CauseTimes run_idle{};

  MarkedSteps marked;  // what the job itself marked as steps, beside the mined iterations

  std::vector<Account> iterations;  // parallel to mined->iterations
  std::vector<CauseTimes> iteration_idle;
  std::vector<Account> sections;  // parallel to mined->sections
  std::vector<CauseTimes> section_idle;

  // The basis of "per iteration" figures: the complete iterations of the training (or steady)
  // sections; where there are none, all complete ones, then all; where there are no iterations, the
  // whole run as one.
  // The last iteration of the recording is left out where four others stay: its window ends with
  // its last op.
  std::vector<uint32_t> counted;  // indices into mined->iterations; empty: the whole run
  bool last_left_out = false;
  int64_t repetitions = 1;  // max(1, counted.size())
  Account basis;            // summed over the repetitions
  std::array<CauseFigures, kCauses> causes;
  Distribution iteration_time;         // of the counted iterations
  double trend_ratio = 0;              // median of the last tenth against the first tenth, minus 1
  bool trend_is_clear = false;         // beyond chance
  std::vector<KernelFigures> kernels;  // of ops counted by membership, most time first
  std::vector<int64_t> category_ns;    // by CategoryId, of the kernels (streams added)
  std::vector<uint64_t> category_count;
  std::array<int64_t, kActivities>
      activity_ns{};  // summed durations of the basis' ops (streams added)

  // Summed over the basis: the share of the SMs that kernels' blocks could fill, over time.
  // Negative: the device's SMs or the kernels' grids are not known.
  double sm_filled_ns = -1;

  bool has_iterations() const { return !counted.empty(); }
  // There are iterations, but none lies whole in the stretch that the view names.
  bool none_is_whole() const {
    return narrowed && !has_iterations() && mined != nullptr && !mined->iterations.empty();
  }
  // What people call an iteration, by its index.
  int64_t number_of(uint32_t iteration) const {
    return mined == nullptr ? int64_t{iteration} : mined->iterations[iteration].number;
  }
  // The ops that verbs list and add up: those of the iterations or the stretch that the view names,
  // else all.
  const std::vector<uint32_t>& shown() const { return narrowed ? shown_ops : ops; }
  // The time that shown() is of: the windows of named iterations, else the span.
  std::vector<Window> shown_windows() const;
  // The windows of the counted iterations.
  std::vector<Window> counted_windows() const;

  bool narrowed = false;  // the view names iterations or a stretch
  bool iterations_named = false;
};

struct Figures {
  std::vector<std::string> category_names;
  std::vector<CategoryId> category_of_name;   // by NameId
  std::vector<CallClass> call_class_of_name;  // by NameId
  std::vector<uint32_t> synchronize_calls;    // indices into Trace::calls, by start
  Framework framework = Framework::none;      // that the job was written in
  MemoryIndex memory;                         // what was allocated; of all devices
  std::string category_error;                 // the user's rule file could not be used: why
  std::vector<DeviceFigures> devices;         // those of the view; ascending device number
  View view;

  // The device that the report is about first: the one with most GPU time. Precondition:
  // !devices.empty().
  const DeviceFigures& main() const;
};

// The ops of the basis: those of the counted iterations by membership, else all that are shown.
std::vector<uint32_t> basis_ops(const Trace& trace, const Figures& figures,
                                const DeviceFigures& device);
// From the first op of any device to the last. Precondition: there is a device.
Window run_of(const Figures& figures);
// The threads that launch work of a device; where no launch was recorded, every thread. What other
// threads wait for is not this device's business.
class LaunchingThreads {
 public:
  LaunchingThreads(const Trace& trace, const DeviceFigures& device);
  bool holds(uint32_t thread) const {
    return none_ || thread >= launches_.size() || launches_[thread];
  }

 private:
  std::vector<bool> launches_;  // by thread
  bool none_ = true;
};

// Null: the job runs nothing on it.
const DeviceFigures* figures_of(const Figures& figures, uint32_t device);

struct FigureOptions {
  std::string categories_path;  // rules for kernel categories; empty: the built-in ones
  View view;
};

// `mined` must outlive the result.
Figures compute_figures(const Trace& trace, const Mined& mined, const FigureOptions& options = {});

}  // namespace deepprof
