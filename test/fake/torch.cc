// A stand-in for libtorch_cpu.so: its name, and whether torch.profiler is on, as PyTorch since 2.5
// tells and the other tool (other_tool.h) sets.
#include <atomic>

namespace {
std::atomic<bool> on{false};
}

namespace torch::autograd::profiler {
bool isProfilerEnabledInMainThread() { return on; }
}  // namespace torch::autograd::profiler

extern "C" void fakeTorchProfilerIsOn(int is_on) { on = is_on != 0; }
