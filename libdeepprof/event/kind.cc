#include "libdeepprof/event/kind.h"

#include <array>

namespace deepprof {
namespace {

constexpr std::array<KindInfo, 9> kKinds{{
    {Kind::none, "none", Lane::host, false, "not an event"},
    {Kind::kernel, "kernel", Lane::device, true, "a kernel on a stream of a device"},
    {Kind::memcpy, "memcpy", Lane::device, true, "a copy on a stream, peer copies included"},
    {Kind::memset, "memset", Lane::device, true, "a fill on a stream"},
    {Kind::graph, "graph", Lane::device, true, "a whole graph launch traced as one op"},
    {Kind::sync, "sync", Lane::host, false,
     "a host thread waited for a stream, event, context or device"},
    {Kind::api_call, "api_call", Lane::host, false, "a call into the runtime or driver API"},
    {Kind::overhead, "overhead", Lane::host, false,
     "time that profiler or CUDA took: buffer flushes, loading of code"},
    {Kind::allocation, "allocation", Lane::host, false, "memory was taken or given back"},
}};

}  // namespace

std::span<const KindInfo> kinds() { return kKinds; }

const KindInfo& kind_info(Kind kind) {
  const auto number = static_cast<size_t>(kind);
  return kKinds[number < kKinds.size() ? number : 0];
}

}  // namespace deepprof
