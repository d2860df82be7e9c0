// A made-up training job on one GPU, for comparing it with a changed one: a host that loads input,
// launches ahead and reads the loss; a stream that runs what it is given. Seeded. Test code only.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/model/trace.h"
#include "test/compare/made_up_runs.h"

namespace deepprof::test {

struct JobPlan {
  int iterations = 40;
  uint64_t seed = 1;
  double jitter = 0.02;   // of every time
  double input_us = 300;  // the host works before it feeds the GPU
  std::string slow;       // a kernel whose every launch takes `slow_factor` longer
  double slow_factor = 1.2;
  std::string removed, added;  // a kernel of the forward pass
  bool extra_sync = false;     // cudaDeviceSynchronize in the middle of the iteration
  double stall_share = 0;      // of the iterations wait 20 ms more for their input
  bool mangled = false;        // names as the linker knows them, as our own recorder keeps them
  std::string prefix;          // of every kernel's name: another library's
  int64_t clock_ns = 1;        // times are whole multiples of it
};

class MadeUpJob {
 public:
  explicit MadeUpJob(const JobPlan& plan) : plan_(plan), random_(plan.seed * 1'000'003) {
    trace_.threads.push_back({1, 1, "python"});
    trace_.devices.push_back({0, "Made-up GPU", 108, 0, 0, 0, 0});
  }

  Trace run() {
    for (int i = 0; i < plan_.iterations; ++i) iteration();
    trace_.finish();
    return std::move(trace_);
  }

 private:
  double around(double us) { return us * std::max(0.3, 1 + plan_.jitter * draw_normal(random_)); }
  int64_t on_clock(double us) const {
    const auto ns = static_cast<int64_t>(us * 1000);
    return std::max<int64_t>(1, (ns + plan_.clock_ns / 2) / plan_.clock_ns) * plan_.clock_ns;
  }
  void call(const char* name, double us, uint32_t correlation) {
    trace_.calls.push_back(
        {on_clock(host_us_), on_clock(us), correlation, trace_.names.intern(name), 0});
    host_us_ += us;
  }
  void op(Kind kind, const std::string& name, double us, uint32_t detail = 0) {
    const uint32_t correlation = ++correlation_;
    call(kind == Kind::kernel ? "cudaLaunchKernel" : "cudaMemcpyAsync", around(4), correlation);
    stream_us_ = std::max(stream_us_ + 1, host_us_ + 2);
    Op op;
    op.start_ns = on_clock(stream_us_);
    op.duration_ns = on_clock(us);
    op.correlation = correlation;
    op.name = trace_.names.intern(name);
    op.stream = 7;
    op.kind = kind;
    op.detail = detail;
    trace_.ops.push_back(op);
    stream_us_ += us;
  }
  void kernel(const std::string& name, double us) {
    if (name == plan_.removed) return;
    // "gemm_qkv" as a template of it, the way the compilers write them.
    const std::string recorded = plan_.mangled
                                     ? "_Z" + std::to_string(name.size()) + name + "IfEvPT_i"
                                     : "void " + plan_.prefix + name + "<float>(float*, int)";
    op(Kind::kernel, recorded, around(name == plan_.slow ? us * plan_.slow_factor : us));
  }
  void copy(CopyKind kind, uint64_t bytes, double us) {
    Detail detail;
    detail.copy_kind = kind;
    detail.bytes = bytes;
    trace_.details.push_back(detail);
    op(Kind::memcpy, kind == CopyKind::host_to_device ? "Memcpy HtoD" : "Memcpy DtoH", around(us),
       static_cast<uint32_t>(trace_.details.size() - 1));
  }
  // Until the stream is done; the host hears of it `late_us` later.
  void wait(const char* name, double late_us = 3) {
    call(name, std::max(0.0, stream_us_ - host_us_) + late_us, ++correlation_);
  }

  void iteration() {
    host_us_ += around(plan_.input_us) + (random_.chance(plan_.stall_share) ? 20'000 : 0);
    copy(CopyKind::host_to_device, 1 << 20, 60);
    for (int layer = 0; layer < 4; ++layer) {
      kernel("layer_norm_fwd", 40);
      kernel("gemm_qkv", 120);
      kernel("flash_fwd", 200);
      kernel("gemm_mlp", 150);
      kernel("gelu", 30);
    }
    if (!plan_.added.empty()) kernel(plan_.added, 90);
    kernel("softmax_loss", 50);
    if (plan_.extra_sync) wait("cudaDeviceSynchronize", 150);
    for (int layer = 0; layer < 4; ++layer) {
      kernel("gelu_bwd", 60);
      kernel("gemm_wgrad", 280);
      kernel("flash_bwd", 410);
      kernel("layer_norm_bwd", 80);
    }
    for (int chunk = 0; chunk < 3; ++chunk) kernel("fused_adam", 70);
    copy(CopyKind::device_to_host, 4, 3);
    wait("cudaStreamSynchronize");
  }

  JobPlan plan_;
  Random random_;
  Trace trace_;
  double host_us_ = 1000, stream_us_ = 0;
  uint32_t correlation_ = 0;
};

}  // namespace deepprof::test
