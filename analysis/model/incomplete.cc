#include "analysis/model/incomplete.h"

#include <algorithm>

namespace deepprof {

uint64_t launches_without_kernels(const Trace& trace) {
  const bool has_kernels = std::any_of(trace.ops.begin(), trace.ops.end(), [](const Op& op) {
    return op.kind == Kind::kernel || op.kind == Kind::graph;
  });
  if (has_kernels || trace.ops.empty()) return 0;
  // cudaLaunchKernel, cuLaunchKernelEx, hipExtModuleLaunchKernel and their kin.
  return static_cast<uint64_t>(
      std::count_if(trace.calls.begin(), trace.calls.end(), [&](const HostCall& call) {
        return trace.names[call.name].find("LaunchKernel") != std::string_view::npos;
      }));
}

}  // namespace deepprof
