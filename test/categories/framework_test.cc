#include "analysis/categories/framework.h"

#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using deepprof::test::TraceBuilder;

namespace {

Framework of_kernels(std::initializer_list<const char*> names) {
  TraceBuilder t;
  int64_t at = 0;
  for (const char* name : names) t.kernel(name, at, at + 5), at += 10;
  return framework_of(t.build());
}

Framework of_range(const char* name) {
  TraceBuilder t;
  t.range(RangeSource::nvtx, name, 0, 10).kernel("k", 0, 5);
  return framework_of(t.build());
}

}  // namespace

TEST_CASE("kernels that torch.compile's inductor generates are PyTorch's") {
  CHECK(of_kernels({"triton_poi_fused_add_mul_0"}) == Framework::torch);
  CHECK(of_kernels({"triton_red_fused__softmax_3"}) == Framework::torch);
  CHECK(of_kernels({"triton_per_fused_native_layer_norm_1"}) == Framework::torch);
}

TEST_CASE("a function that somebody calls jit_ or fusion is no XLA") {
  CHECK(of_kernels({"jit_kernel", "my_fusion_kernel", "conv_bias_fusion", "attention_fusion_v2"}) ==
        Framework::none);
  CHECK(of_kernels({"loop_add_fusion", "loop_mul_fusion"}) == Framework::none);  // two: by chance
  CHECK(of_kernels({"void loop_add_fusion<float>(float*)", "Loop_fusion", "loop_fusions",
                    "input_fusion(int)"}) == Framework::none);
}

TEST_CASE("several kernels named as XLA names fusions are XLA's") {
  CHECK(of_kernels({"loop_add_fusion", "input_reduce_fusion_3", "gemm_fusion_dot_12",
                    "fusion_7"}) == Framework::xla);
}

TEST_CASE("modules and the runtime on the host are evidence of XLA") {
  CHECK(of_range("jit_train_step:XLA GPU module") == Framework::xla);
  CHECK(of_range("PjRtStreamExecutorLoadedExecutable::Execute") == Framework::xla);
  CHECK(of_range("TSL:XlaModule:#hlo_module=jit_step#") == Framework::xla);
  CHECK(of_range("jit_step") == Framework::none);
}
