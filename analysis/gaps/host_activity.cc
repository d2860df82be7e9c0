#include "analysis/gaps/host_activity.h"

#include <algorithm>
#include <array>

namespace deepprof {
namespace {

bool contains(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}
bool starts_with(std::string_view text, std::string_view head) {
  return text.substr(0, head.size()) == head;
}

// "cudaMalloc", "cuMemAlloc", "hipMalloc" -> "Malloc", "MemAlloc": the part that says what is done.
// CUDA 13's compiler launches by __cudaLaunchKernel.
std::string_view without_vendor(std::string_view function) {
  function.remove_prefix(std::min(function.find_first_not_of('_'), function.size()));
  for (const std::string_view vendor : {"cuda", "cu", "hip"}) {
    if (starts_with(function, vendor)) return function.substr(vendor.size());
  }
  return {};
}

constexpr std::array<std::string_view, 20> kSlow{
    "Malloc",       "Free",           "HostAlloc",       "HostFree",
    "HostRegister", "HostUnregister", "MemAlloc",        "MemFree",
    "MemHostAlloc", "MemFreeHost",    "MemHostRegister", "MemHostUnregister",
    "MemCreate",    "MemRelease",     "MemMap",          "MemUnmap",
    "MemSetAccess", "ModuleLoad",     "LibraryLoad",     "ModuleUnload"};

}  // namespace

bool is_synchronize(std::string_view function) {
  return contains(function, "Synchronize") && !without_vendor(function).empty();
}

bool is_graph_launch(std::string_view function) { return contains(function, "GraphLaunch"); }

CallClass call_class(std::string_view function) {
  const std::string_view act = without_vendor(function);
  if (act.empty()) return CallClass::other;
  if (is_synchronize(function)) return CallClass::blocking;
  if (contains(act, "Async") || contains(act, "Prefetch")) return CallClass::launch;
  if (contains(act, "Launch")) return CallClass::launch;
  if (starts_with(act, "Memcpy")) return CallClass::blocking;
  if (starts_with(act, "Memset")) return CallClass::launch;
  for (const std::string_view slow : kSlow) {
    if (starts_with(act, slow)) return CallClass::blocking;
  }
  return CallClass::other;
}

std::vector<CallClass> classify_calls(const Trace& trace) {
  std::vector<bool> used(trace.names.size());
  for (const HostCall& call : trace.calls) {
    if (call.name < used.size()) used[call.name] = true;
  }
  std::vector<CallClass> classes(trace.names.size(), CallClass::other);
  for (NameId name = 0; name < classes.size(); ++name) {
    if (used[name]) classes[name] = call_class(trace.names[name]);
  }
  return classes;
}

// Recorded waits (Kind::sync) do not say on which thread they were.
HostRecord::HostRecord(const Trace& trace, std::span<const CallClass> class_of_name)
    : trace_(trace),
      class_of_name_(class_of_name),
      calls_(trace.calls, [](const HostCall& call) { return call.kind == Kind::api_call; }),
      ranges_(trace.ranges, [](const Range& range) { return range.source != RangeSource::step; }) {}

HostActivity HostSweep::during(uint32_t thread, int64_t start_ns, int64_t end_ns) {
  HostActivity activity;
  // Sums by function stay a handful: the distinct functions called within one gap.
  struct Sum {
    NameId name;
    int64_t ns;
  };
  std::vector<Sum> sums;
  int64_t blocked_until = start_ns, called_until = start_ns;
  const auto cover = [&](int64_t& until, int64_t from, int64_t to) {
    const int64_t fresh = std::max<int64_t>(0, to - std::max(from, until));
    until = std::max(until, to);
    return fresh;
  };
  for (const uint32_t index : calls_.touching(thread, start_ns, end_ns)) {
    const HostCall& call = host_.trace().calls[index];
    if (call.start_ns >= end_ns) break;
    const int64_t from = std::max(call.start_ns, start_ns), to = std::min(call.end_ns(), end_ns);
    const int64_t fresh = cover(called_until, from, to);
    activity.calls_ns += fresh;
    if (host_.is_blocking(call.name)) activity.blocking_ns += cover(blocked_until, from, to);
    const auto known =
        std::find_if(sums.begin(), sums.end(), [&](const Sum& s) { return s.name == call.name; });
    if (known != sums.end()) known->ns += to - from;
    else if (sums.size() < 32) sums.push_back({call.name, to - from});
  }
  int64_t most_blocking = 0, most = 0;
  for (const Sum& sum : sums) {
    const bool blocks = host_.is_blocking(sum.name);
    int64_t& longest = blocks ? most_blocking : most;
    if (sum.ns <= longest) continue;
    longest = sum.ns;
    (blocks ? activity.longest_blocking : activity.longest_call) = sum.name;
  }
  if (activity.longest_call == 0) activity.longest_call = activity.longest_blocking;
  return activity;
}

}  // namespace deepprof
