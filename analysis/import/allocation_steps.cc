#include "analysis/import/allocation_steps.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "analysis/model/facts.h"
#include "libdeepprof/trace/allocation_ledger.h"

namespace deepprof {
namespace {

// Of a kind and device: what is in use at the start, found from its steps in order of time.
class Beginning {
 public:
  void see(const AllocationSteps::Step& told) {
    const auto bytes = static_cast<int64_t>(std::min<uint64_t>(told.step.bytes, INT64_MAX / 2));
    const bool allocates = told.step.step == AllocationStep::allocate;
    if (is_first_) {
      first_ns_ = told.step.time_ns;
      if (told.in_use_bytes) {
        const uint64_t after = *told.in_use_bytes;
        told_bytes_ =
            allocates ? after - std::min(after, told.step.bytes) : after + told.step.bytes;
      }
    }
    is_first_ = false;
    if (__builtin_add_overflow(since_, allocates ? bytes : -bytes, &since_)) since_ = 0;
    least_since_ = std::min(least_since_, since_);
  }
  // As told; else so much that no release gives back more than there is.
  uint64_t bytes() const {
    return told_bytes_ ? *told_bytes_ : uint64_t{0} - static_cast<uint64_t>(least_since_);
  }
  int64_t first_ns() const { return first_ns_; }
  bool is_known(AllocationSteps::From from) const {
    return told_bytes_ || (from == AllocationSteps::From::process_start && least_since_ == 0);
  }

 private:
  bool is_first_ = true;
  int64_t first_ns_ = 0, since_ = 0, least_since_ = 0;
  std::optional<uint64_t> told_bytes_;
};

using Beginnings = std::map<AllocationLedger::Lane, Beginning>;

// The record of a release may say less of the kind than that of its allocation.
Beginnings beginnings_of(const std::vector<AllocationSteps::Step>& steps) {
  Beginnings beginnings;
  std::unordered_map<uint64_t, AllocationLedger::Lane> lane_at;
  for (const AllocationSteps::Step& told : steps) {
    if (told.only_held) continue;
    AllocationLedger::Lane lane{told.step.device, told.step.kind};
    if (told.step.step == AllocationStep::allocate && told.step.address != 0) {
      lane_at[told.step.address] = lane;
    } else if (const auto known = lane_at.find(told.step.address); known != lane_at.end()) {
      lane = known->second;
      lane_at.erase(known);
    }
    beginnings[lane].see(told);
  }
  return beginnings;
}

std::string names_of(const std::set<AllocationKind>& kinds) {
  std::string names;
  for (const AllocationKind kind : kinds)
    names += (names.empty() ? "" : ",") + std::string(allocation_kind_name(kind));
  return names;
}

// In the top bits, which no address uses, while pieces are matched; 0 stays "no address".
constexpr int kProcessShift = 56;
uint64_t among_processes(uint64_t address, uint32_t process) {
  return address == 0 ? 0 : address ^ uint64_t { process } << kProcessShift;
}
uint64_t own_address(uint64_t address) { return address & ((uint64_t{1} << kProcessShift) - 1); }

}  // namespace

void AllocationSteps::finish(AllocationKind held, From from, Trace& trace) {
  if (steps_.empty()) return;
  std::stable_sort(steps_.begin(), steps_.end(),
                   [](const Step& a, const Step& b) { return a.step.time_ns < b.step.time_ns; });
  for (Step& told : steps_) told.step.address = among_processes(told.step.address, told.process);
  AllocationLedger ledger;
  std::set<AllocationKind> unknown;
  for (const auto& [lane, beginning] : beginnings_of(steps_)) {
    if (beginning.bytes() > 0) ledger.start_with(lane, beginning.bytes(), beginning.first_ns());
    if (!beginning.is_known(from)) unknown.insert(lane.second);
  }
  if (!unknown.empty()) trace.process.facts.emplace_back(kInUseSinceStart, names_of(unknown));
  const auto put = [&](Allocation step) {
    if (!ledger.add(step)) return;
    step.address = own_address(step.address);
    trace.allocations.push_back(step);
  };
  for (const Step& told : steps_) {
    if (told.held_bytes) {
      Allocation holds = told.step;
      holds.kind = held;
      holds.step = AllocationStep::allocate;
      holds.address = told.holder;
      holds.bytes = *told.held_bytes;
      put(holds);
    }
    if (told.only_held) continue;
    if (const auto displaced = ledger.displaced_by(told.step)) put(*displaced);
    put(told.step);
  }
  AllocationLedger::Totals totals = ledger.totals();
  for (auto& [lane, of] : totals) {
    for (LiveAllocation& live : of.largest_at_peak) live.address = own_address(live.address);
  }
  trace.blobs[std::string(AllocationLedger::kBlobKey)] = AllocationLedger::encode(totals);
}

}  // namespace deepprof
