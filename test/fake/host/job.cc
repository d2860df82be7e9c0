#include "test/fake/host/job.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "test/fake/clock.h"

namespace deepprof::fake {
namespace {

using recording::kNone;

// Names have room for a generation's mark, so that a reload can write it in place.
constexpr size_t kMarkRoom = 16;

// How many records one thread may be ahead of the slowest: a few iterations. A job's threads wait
// for each other (the backward pass for the forward pass), so no job has a thread that runs away.
constexpr uint64_t kMostLead = 4096;
constexpr uint64_t kDone = UINT64_MAX - kMostLead;  // reached by a thread that has ended

}  // namespace

Modules::Modules(const std::vector<std::string>& names) : storage_(names) {
  for (std::string& name : storage_) {
    name.reserve(name.size() + kMarkRoom);
    pointers_.push_back(name.c_str());
  }
}

// "gemm" becomes "gemm@1", "gemm@2", ...: another string at the same address, as after
// cuModuleLoad.
void Modules::reload() {
  ++generation_;
  for (std::string& name : storage_) {
    if (name.empty()) continue;
    name.resize(std::min(name.find('@'), name.size()));
    name += "@" + std::to_string(generation_);
  }
}

Job::Job(recording::Recording recording, const Options& options)
    : recording_(std::move(recording)), options_(options), modules_(recording_.names) {
  for (const std::string& name : recording_.names) apis_.push_back(fakeDriverApiCall(name.c_str()));
  fakeDriverSetDevices(recording_.devices.data(), modules_.names(),
                       static_cast<uint32_t>(recording_.devices.size()));
  if (recording_.threads.empty()) recording_.threads.push_back({1, 1, 0});
  plan_steps();
}

void Job::plan_steps() {
  int64_t first = std::numeric_limits<int64_t>::max(), last = 0;
  const auto cover = [&](int64_t start_ns, int64_t end_ns, uint32_t correlation) {
    first = std::min(first, start_ns);
    last = std::max(last, end_ns);
    correlations_ = std::max(correlations_, correlation);
  };
  plans_.resize(recording_.threads.size());
  for (uint32_t i = 0; i < plans_.size(); ++i) plans_[i].thread = i;

  for (const recording::Op& op : recording_.ops) {
    ops_.push_back(&op);
    cover(op.start_ns, op.end_ns, op.correlation);
  }
  std::stable_sort(ops_.begin(), ops_.end(),
                   [](const auto* a, const auto* b) { return a->correlation < b->correlation; });
  std::unordered_map<uint32_t, std::pair<uint32_t, uint32_t>> of_correlation;  // first op, count
  for (uint32_t i = 0; i < ops_.size(); ++i) {
    auto& [from, count] = of_correlation.try_emplace(ops_[i]->correlation, i, 0).first->second;
    ++count;
  }
  for (uint32_t i = 0; i < recording_.calls.size(); ++i) {
    const recording::Call& call = recording_.calls[i];
    cover(call.start_ns, call.end_ns, call.correlation);
    Step step{call.start_ns};
    step.call = i;
    // A runtime call and the driver call within it share an id: the ops belong to the outer one.
    if (const auto found = of_correlation.find(call.correlation);
        call.correlation != 0 && found != of_correlation.end()) {
      std::tie(step.first_op, step.op_count) = found->second;
      of_correlation.erase(found);
    }
    plans_[call.thread].steps.push_back(step);
  }
  for (const auto& [correlation, ops] : of_correlation) {
    // one launch nobody recorded, else as many as there are ops
    const bool shared = correlation != 0;
    for (uint32_t i = 0; i < (shared ? 1 : ops.second); ++i) {
      Step step{ops_[ops.first + i]->start_ns};
      step.first_op = ops.first + i;
      step.op_count = shared ? ops.second : 1;
      plans_[0].steps.push_back(step);
    }
  }
  for (uint32_t i = 0; i < recording_.syncs.size(); ++i) {
    const recording::Sync& sync = recording_.syncs[i];
    cover(sync.start_ns, sync.end_ns, sync.correlation);
    Step step{sync.start_ns};
    step.sync = i;
    plans_[sync.thread].steps.push_back(step);
  }
  for (uint32_t i = 0; i < recording_.overheads.size(); ++i) {
    const recording::Overhead& overhead = recording_.overheads[i];
    cover(overhead.start_ns, overhead.end_ns, 0);
    Step step{overhead.start_ns};
    step.overhead = i;
    plans_[overhead.thread].steps.push_back(step);
  }
  attach_allocations();
  std::erase_if(plans_, [](const Plan& plan) { return plan.steps.empty(); });
  for (Plan& plan : plans_) {
    std::stable_sort(plan.steps.begin(), plan.steps.end(),
                     [](const Step& a, const Step& b) { return a.at_ns < b.at_ns; });
    steps_ += plan.steps.size();
  }
  order_steps();
  first_ns_ = last > 0 ? first : 0;
  span_ns_ = std::max<int64_t>(last - first_ns_, 0) + 1000;
}

// Each to the call that made it; one without a call is a step by itself.
void Job::attach_allocations() {
  for (const recording::Allocation& a : recording_.allocations) allocations_.push_back(&a);
  std::stable_sort(allocations_.begin(), allocations_.end(),
                   [](const auto* a, const auto* b) { return a->correlation < b->correlation; });
  std::unordered_map<uint32_t, Step*> calls;
  for (Plan& plan : plans_) {
    for (Step& step : plan.steps) {
      if (step.call != kNone) calls.try_emplace(recording_.calls[step.call].correlation, &step);
    }
  }
  std::vector<Step> alone;
  for (uint32_t i = 0; i < allocations_.size(); ++i) {
    const recording::Allocation& a = *allocations_[i];
    const auto call = a.correlation != 0 ? calls.find(a.correlation) : calls.end();
    Step& step = call != calls.end() ? *call->second : alone.emplace_back(Step{a.time_ns});
    if (step.allocation_count++ == 0) step.first_allocation = i;
  }
  plans_[0].steps.insert(plans_[0].steps.end(), alone.begin(), alone.end());
}

void Job::order_steps() {
  std::vector<Step*> all;
  for (Plan& plan : plans_) {
    for (Step& step : plan.steps) all.push_back(&step);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Step* a, const Step* b) { return a->at_ns < b->at_ns; });
  for (Step* step : all) {
    step->before = records_;
    records_ += step->op_count + step->allocation_count + (step->call != kNone) +
                (step->sync != kNone) + (step->overhead != kNone);
  }
  reached_ = std::vector<Reached>(plans_.size());
}

int64_t Job::shift_ns(uint64_t repeat) const {
  const int64_t moved = static_cast<int64_t>(repeat) * span_ns_;
  return options_.clock_now ? moved + began_realtime_ns_ - first_ns_ : moved;
}

bool Job::goes_on(uint64_t repeat) const {
  if (options_.seconds > 0)
    return static_cast<double>(monotonic_ns() - began_monotonic_ns_) < options_.seconds * 1e9;
  return repeat < options_.repeats;
}

// Waits until it is time for a step.
void Job::pace(const Step& step, uint64_t repeat) const {
  constexpr int64_t kTooShortToSleep_ns = 50'000;
  int64_t when = 0;
  if (options_.speed > 0) {
    const auto into =
        static_cast<double>(step.at_ns - first_ns_ + static_cast<int64_t>(repeat) * span_ns_);
    when = began_monotonic_ns_ + static_cast<int64_t>(into / options_.speed);
  } else if (options_.rate > 0) {
    const auto before = static_cast<double>(repeat * records_ + step.before);
    when = began_monotonic_ns_ + static_cast<int64_t>(before / options_.rate * 1e9);
  } else {
    return;
  }
  if (when - monotonic_ns() > kTooShortToSleep_ns) sleep_until_monotonic(when);
}

// Waits while the thread is too far ahead of another one. `next`: where its next step stands in the
// job.
void Job::keep_together(const Plan& plan, uint64_t next) {
  constexpr int64_t kNap_ns = 100'000;
  constexpr uint64_t kBetweenLooks = 64;  // the others' progress is on other cores' cache lines
  Reached& own = reached_[static_cast<size_t>(&plan - plans_.data())];
  if (next != 0 &&
      next / kBetweenLooks == own.records.load(std::memory_order_relaxed) / kBetweenLooks)
    return;
  own.records.store(next, std::memory_order_relaxed);
  for (const Reached& other : reached_) {
    while (other.records.load(std::memory_order_relaxed) + kMostLead < next) {
      sleep_until_monotonic(monotonic_ns() + kNap_ns);
    }
  }
}

void Job::submit(const Plan& plan, const Step& step, uint64_t repeat) {
  const recording::Thread& thread = recording_.threads[plan.thread];
  Work work;
  if (step.call != kNone) {
    work.call = &recording_.calls[step.call];
    work.api = apis_[work.call->name];
  }
  work.ops = ops_.data() + step.first_op;
  work.op_count = step.op_count;
  work.allocations = allocations_.data() + step.first_allocation;
  work.allocation_count = step.allocation_count;
  if (step.sync != kNone) work.sync = &recording_.syncs[step.sync];
  if (step.overhead != kNone) work.overhead = &recording_.overheads[step.overhead];
  work.names = modules_.names();
  work.pid = thread.pid;
  work.tid = thread.tid;
  work.shift_ns = shift_ns(repeat);
  work.correlation_shift = static_cast<uint32_t>(repeat * correlations_);
  work.speed = options_.speed;
  work.zero_ns = first_ns_ - static_cast<int64_t>(repeat) * span_ns_;
  work.zero_monotonic_ns = began_monotonic_ns_;
  work.lag_ns = options_.gpu_lag_us * 1000;
  fakeDriverSubmit(&work);
  steps_done_.fetch_add(1, std::memory_order_relaxed);
}

void Job::run_once(const Plan& plan, uint64_t repeat, uint64_t& launched) {
  for (const Step& step : plan.steps) {
    if (options_.stop_after && launched >= options_.stop_after) return;
    if (options_.seconds > 0 && !goes_on(repeat)) return;
    if (options_.speed == 0) keep_together(plan, repeat * records_ + step.before);
    pace(step, repeat);
    submit(plan, step, repeat);
    ++launched;
  }
}

void Job::run(const Plan& plan) {
  uint64_t launched = 0;
  for (uint64_t repeat = 0; goes_on(repeat); ++repeat) {
    if (repeat > 0 && options_.reload_modules && plans_.size() == 1) {
      fakeDriverUnloadModule();
      // Long enough for a client to read the names of what it has been given.
      sleep_until_monotonic(monotonic_ns() + 500'000'000);
      modules_.reload();
    }
    run_once(plan, repeat, launched);
    if (options_.stop_after && launched >= options_.stop_after) break;
  }
  Reached& own = reached_[static_cast<size_t>(&plan - plans_.data())];
  own.records.store(kDone, std::memory_order_relaxed);
}

void Job::start() {
  began_monotonic_ns_ = monotonic_ns();
  began_realtime_ns_ = realtime_ns();
  for (const Plan& plan : plans_) threads_.emplace_back([this, &plan] { run(plan); });
}

void Job::wait() {
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  if (!options_.final_sync) return;
  if (options_.speed > 0) {
    const auto modelled = static_cast<double>(span_ns_) * static_cast<double>(options_.repeats);
    sleep_until_monotonic(began_monotonic_ns_ + static_cast<int64_t>(modelled / options_.speed) +
                          5'000'000);
  } else if (options_.gpu_lag_us > 0) {
    sleep_until_monotonic(monotonic_ns() + options_.gpu_lag_us * 1000 + 5'000'000);
  }
}

double Job::progress() const {
  if (options_.seconds > 0)
    return static_cast<double>(monotonic_ns() - began_monotonic_ns_) / (options_.seconds * 1e9);
  return steps_ == 0
             ? 1
             : static_cast<double>(steps_done_) / static_cast<double>(steps_ * options_.repeats);
}

void Job::launch_once() {
  if (!plans_.empty()) submit(plans_[0], plans_[0].steps[0], options_.repeats);
}

}  // namespace deepprof::fake
