#include "analysis/import/contexts_apart.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace deepprof {
namespace {

constexpr uint32_t kNextContext = 10'000'000, kMostContexts = 400;

constexpr uint32_t kNoContext = 0;

using Contexts = std::map<uint32_t, uint64_t>;  // how many ops each has

std::map<uint16_t, Contexts> contexts_of(const std::vector<Op>& ops) {
  std::map<uint16_t, Contexts> devices;
  uint64_t* last = nullptr;
  for (size_t i = 0; i < ops.size(); ++i) {
    const bool again =
        i > 0 && ops[i].device == ops[i - 1].device && ops[i].context == ops[i - 1].context;
    if (!again) last = &devices[ops[i].device][ops[i].context];
    ++*last;
  }
  return devices;
}

// The busiest first; ops of no context are not counted as one of their own.
std::vector<uint32_t> by_ops(const Contexts& contexts) {
  std::vector<std::pair<uint64_t, uint32_t>> order;
  for (const auto& [context, ops] : contexts)
    if (context != kNoContext) order.emplace_back(ops, context);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<uint32_t> ids;
  for (const auto& [ops, context] : order) ids.push_back(context);
  return ids;
}

}  // namespace

void tell_contexts_apart(Trace& trace) {
  bool changed = false;
  for (const auto& [device, contexts] : contexts_of(trace.ops)) {
    const std::vector<uint32_t> ids = by_ops(contexts);
    if (contexts.size() == 1 || ids.empty()) continue;
    std::unordered_map<uint32_t, uint32_t> base_of;
    for (uint32_t i = 0; i < ids.size(); ++i)
      base_of[ids[i]] = std::min(i, kMostContexts) * kNextContext;
    for (Op& op : trace.ops) {
      if (op.device != device) continue;
      if (op.context == kNoContext) op.context = ids[0];
      if (op.stream < kNextContext) op.stream += base_of[op.context];
    }
    changed = true;
  }
  if (changed) trace.finish();  // ops that run at one time are in the order of their streams
}

}  // namespace deepprof
