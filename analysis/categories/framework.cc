#include "analysis/categories/framework.h"

#include <algorithm>
#include <string_view>

#include "libdeepprof/event/metric.h"

namespace deepprof {
namespace {

struct Sign {
  Framework framework;
  std::string_view part;  // of a name
};

// Demangled, as importers have names, and mangled, as our own recorder has them.
constexpr Sign kSigns[] = {
    {Framework::torch, "at::native"},
    {Framework::torch, "2at6native"},
    {Framework::torch, "aten::"},
    {Framework::torch, "c10::"},
    {Framework::torch, "triton_poi_fused_"},
    {Framework::torch, "triton_red_fused_"},
    {Framework::torch, "triton_per_fused_"},
    {Framework::torch, "ProfilerStep#"},
    {Framework::tensorflow, "tensorflow::"},
    {Framework::tensorflow, "10tensorflow"},
    // Modules, the runtime and its thunks: ranges on the host.
    {Framework::xla, "xla::"},
    {Framework::xla, "XlaModule"},
    {Framework::xla, "XLA GPU module"},
    {Framework::xla, "PjRtStreamExecutor"},
    {Framework::xla, "GpuExecutable::"},
    {Framework::xla, "Thunks::"},
};

// As XLA names what it fuses: "loop_add_fusion", "input_reduce_fusion_3", "fusion_12". Anybody may
// name a kernel so; a program that XLA compiled has several.
constexpr size_t kFewestFusions = 3;

bool is_fusion(std::string_view name) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyz0123456789_";
  if (name.find_first_not_of(kPlain) != std::string_view::npos) return false;
  while (!name.empty() && (name.back() == '_' || (name.back() >= '0' && name.back() <= '9')))
    name.remove_suffix(1);
  if (!name.ends_with("fusion")) return false;
  return name == "fusion" || name.starts_with("loop_") || name.starts_with("input_") ||
         name.starts_with("gemm_fusion") || name.starts_with("wrapped_");
}

}  // namespace

Framework framework_of(const Trace& trace) {
  bool seen[kFrameworks] = {};
  size_t fusions = 0;
  for (NameId id = 0; id < trace.names.size(); ++id) {
    const std::string_view name = trace.names[id];
    if (name == metric_name(Metric::optimizer_step))
      seen[static_cast<size_t>(Framework::torch)] = true;
    fusions += is_fusion(name);
    for (const Sign& sign : kSigns) {
      bool& known = seen[static_cast<size_t>(sign.framework)];
      known = known || name.find(sign.part) != std::string_view::npos;
    }
  }
  if (fusions >= kFewestFusions) seen[static_cast<size_t>(Framework::xla)] = true;
  // PyTorch's own names are never another's; XLA compiles for TensorFlow, too.
  for (const Framework framework : {Framework::torch, Framework::tensorflow, Framework::xla}) {
    if (seen[static_cast<size_t>(framework)]) return framework;
  }
  return trace.process.source == "XPlane" ? Framework::xla : Framework::none;
}

}  // namespace deepprof
