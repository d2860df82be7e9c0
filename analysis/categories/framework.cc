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
    {Framework::torch, "_poi_fused_"},
    {Framework::torch, "ProfilerStep#"},
    {Framework::tensorflow, "tensorflow::"},
    {Framework::tensorflow, "10tensorflow"},
    {Framework::xla, "xla::"},
    {Framework::xla, "XlaModule"},
    {Framework::xla, "_fusion"},
    {Framework::xla, "jit_"},
};

}  // namespace

Framework framework_of(const Trace& trace) {
  bool seen[kFrameworks] = {};
  for (NameId id = 0; id < trace.names.size(); ++id) {
    const std::string_view name = trace.names[id];
    if (name == metric_name(Metric::optimizer_step))
      seen[static_cast<size_t>(Framework::torch)] = true;
    for (const Sign& sign : kSigns) {
      bool& known = seen[static_cast<size_t>(sign.framework)];
      known = known || name.find(sign.part) != std::string_view::npos;
    }
  }
  // PyTorch's own names are never another's; XLA compiles for TensorFlow, too.
  for (const Framework framework : {Framework::torch, Framework::tensorflow, Framework::xla}) {
    if (seen[static_cast<size_t>(framework)]) return framework;
  }
  return trace.process.source == "XPlane" ? Framework::xla : Framework::none;
}

}  // namespace deepprof
