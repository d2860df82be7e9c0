#include "analysis/categories/categories.h"

#include <string>

#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;

namespace {

std::string category(std::string_view kernel) {
  static Categories categories;
  return categories.names()[categories.match(kernel).category];
}

}  // namespace

TEST_CASE("each rule takes the kernels it is for") {
  CHECK(category("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)") ==
        "communication");
  CHECK(category("void at::native::(anonymous "
                 "namespace)::multi_tensor_apply_kernel<TensorListMetadata<4>, "
                 "FusedAdamMathFunctor<float, 4>>(TensorListMetadata<4>)") == "optimizer");
  CHECK(category("void at::native::(anonymous "
                 "namespace)::multi_tensor_apply_kernel<TensorListMetadata<2>, "
                 "UnaryOpFunctor<float, 2, 1, 1>, at::native::Copy<float, float> "
                 ">(TensorListMetadata<2>)") == "copy/cast");
  CHECK(category("void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128>>(Flash_fwd_params)") ==
        "attention");
  CHECK(category(
            "sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32") ==
        "conv");
  CHECK(category("ampere_sgemm_128x64_nn") == "gemm");
  CHECK(category(
            "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float>(int)") ==
        "norm");
  CHECK(category("void cudnn::bn_fw_tr_1C11_kernel_NCHW<float>(cudnnTensorStruct)") == "norm");
  CHECK(category("void (anonymous namespace)::softmax_warp_forward<float, 8, true>(float*)") ==
        "softmax/loss");
  CHECK(category("void at::native::indexSelectLargeIndex<float>(int)") == "embedding");
  CHECK(category("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>(int)") ==
        "reduce");
  CHECK(category("void lstm_cell_forward<float>(int)") == "rnn");
  CHECK(category("void at::native::max_pool_forward_nchw<float>(int)") == "pool");
  CHECK(category("void at::native::fused_dropout_kernel_vec<float>(int)") == "random");
  CHECK(category("void at::native::CatArrayBatchedCopy<float>(int)") == "copy/cast");
  CHECK(category("void at::native::vectorized_elementwise_kernel<4, "
                 "at::native::CUDAFunctor_add<float>>(int)") == "elementwise");
  CHECK(category("triton_per_fused_mean_0") == "compiled");
  CHECK(category("some_kernel_of_my_own") == "other");
}

TEST_CASE("lambda is not the optimizer LAMB") {
  CHECK(
      category(
          "void at::native::vectorized_elementwise_kernel<4, at::native::sqrt_kernel_cuda("
          "at::TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda(float)#1}>(int)") ==
      "elementwise");
  CHECK(category("apex_lamb_stage1") == "optimizer");
  CHECK(category("fused_lamb") == "optimizer");
}

TEST_CASE("loading and storing with a cast does not make a cast kernel") {
  CHECK(category("void at::native::unrolled_elementwise_kernel<at::native::CUDAFunctor_add<float>, "
                 "at::detail::"
                 "Array<char*, 2>, OffsetCalculator<1>, at::native::memory::LoadWithCast<1>, "
                 "at::native::memory::"
                 "StoreWithCast<1>>(int)") == "elementwise");
  CHECK(category("void at::native::elementwise_kernel<128, 2, "
                 "at::native::gpu_kernel_impl_nocast<at::native::"
                 "CUDAFunctor_add<float>>(at::TensorIteratorBase&)::{lambda(int)#1}>(int)") ==
        "elementwise");
  CHECK(category("void castKernel<float, __half>(float*)") == "copy/cast");
}

TEST_CASE("convert is not a convolution") {
  CHECK(category("void convertTensor_kernel<float, float>(float)") == "other");
  CHECK(category("void cudnn::ops::nchwToNhwcKernel<float>(int)") == "other");
  CHECK(category("conv2d_grouped_direct_kernel") == "conv");
}

TEST_CASE("collectives are communication before they are reduce, gather or scatter") {
  CHECK(category("ncclKernel_ReduceScatter_RING_LL_Sum_float(ncclDevComm*)") == "communication");
  CHECK(category("void vllm::cross_device_reduce_1stage<__half, 8>(RankData*)") == "communication");
  CHECK(category("void all_gather_kernel<float>(int)") == "communication");
  CHECK(category("void reduce_scatter_cuda(float*)") == "communication");
  CHECK(category("void at::native::_scatter_gather_elementwise_kernel<128, 8>(int)") ==
        "embedding");
}

TEST_CASE("fbgemm's embeddings are not matrix products") {
  CHECK(
      category("void fbgemm_gpu::split_embedding_codegen_forward_unweighted_kernel<float>(int)") ==
      "embedding");
  CHECK(category("void gemmk1_kernel<int, float, 256, 5>(float)") == "gemm");
}

TEST_CASE("a norm in a gemm's epilogue leaves it a gemm") {
  CHECK(category("void cutlass::Kernel<cutlass_80_tensorop_gemm_layer_norm_epilogue>(int)") ==
        "gemm");
}

TEST_CASE("TensorFlow, XLA and JAX kernels are known") {
  CHECK(category("void tensorflow::BiasNHWCKernel<float>(int)") == "other");
  CHECK(category("Eigen::internal::ReductionInitFullReduxKernel<float>") == "other");
  CHECK(category("loop_multiply_fusion_3") == "compiled");
  CHECK(category("input_reduce_fusion") == "reduce");
  CHECK(category("wrapped_transpose") == "copy/cast");
  CHECK(category("fusion_12") == "compiled");
  CHECK(category("cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16_knob_2") ==
        "attention");
}

TEST_CASE("Hopper and Blackwell products are gemm") {
  CHECK(category("nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NTN") == "gemm");
  CHECK(
      category("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1") ==
      "gemm");
  CHECK(category("void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<sm100>>(int)") ==
        "gemm");
  CHECK(category("some_wgmma_kernel") == "gemm");
  CHECK(category("Cijk_Ailk_Bljk_HHS_BH_MT128x128x16") == "gemm");
}

TEST_CASE("the argument list takes no part") {
  CHECK(category("void my_kernel(ncclDevComm*, at::native::softmax_params)") == "other");
}

TEST_CASE("mangled names fall under the rules of what they mean") {
  CHECK(category("_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEENS_"
                 "6detail5ArrayIPcLi3EEEEEviT0_T1_") == "elementwise");
  // Far over the demangler's limit: the words inside still count.
  std::string endless = "_ZN7cutlass7Kernel2I";
  for (int i = 0; i < 2000; ++i) endless += "Li4E";
  CHECK(category(endless + "EvT_") == "gemm");
}

TEST_CASE("a user's rules come first and may name categories of their own") {
  Categories categories;
  const Status added = categories.add_user_rules(
      "# mine\n\nmoe  expert_(up|down)\nattention ^my_kernel$\n", "rules");
  REQUIRE(added.ok());
  auto match = categories.match("void expert_up_gemm<float>(int)");
  CHECK(categories.names()[match.category] == "moe");
  CHECK(match.user_rule);
  CHECK(match.pattern == "expert_(up|down)");
  CHECK(categories.names()[categories.match("my_kernel").category] == "attention");
  match = categories.match("ampere_sgemm_128x64_nn");
  CHECK(categories.names()[match.category] == "gemm");
  CHECK(match.pattern == "gemm");
  CHECK_FALSE(match.user_rule);
}

TEST_CASE("a faulty user rule is refused with file and line and changes nothing") {
  Categories categories;
  const Status bad = categories.add_user_rules("moe expert\nmoe a(b\n", "rules.txt");
  REQUIRE_FALSE(bad.ok());
  CHECK(bad.error().find("rules.txt:2: ") == 0);
  CHECK(categories.names()[categories.match("expert").category] == "other");
  CHECK(categories.add_user_rules("justoneword\n", "f").error() ==
        "f:1: expected a category and a pattern");
  CHECK_FALSE(categories.add_user_file("/no/such/file").ok());
}

TEST_CASE("only kernels and whole graphs are sorted into categories") {
  test::TraceBuilder t;
  t.kernel("ampere_sgemm", 0, 1)
      .copy(CopyKind::host_to_device, 1, 2)
      .kernel("ncclDevKernel_AllReduce", 2, 3)
      .op(Kind::graph, "CUDA graph 5", 3, 4);
  const Trace trace = t.build();
  Categories categories;
  const auto category_of = categorise(trace, categories);
  CHECK(categories.names()[category_of[trace.ops[0].name]] == "gemm");
  CHECK(category_of[trace.ops[1].name] == categories.other());
  CHECK(category_of[trace.ops[2].name] == kCommunication);
  CHECK(categories.names()[category_of[trace.ops[3].name]] == "graph launch");
}
