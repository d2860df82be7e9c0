#include "analysis/categories/distinct_names.h"

#include "test/support/catch.h"

using namespace deepprof;

namespace {

std::vector<std::string> shown(std::vector<std::string_view> names) {
  return distinct_short_names(names, 60);
}

}  // namespace

TEST_CASE("names that are short alike show what is different in them") {
  const auto names = shown({
      "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
      "at::detail::Array<char*, 3> >(int)",
      "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::Half>, "
      "at::detail::Array<char*, 3> >(int)",
      "ampere_sgemm_128x64_nn",
  });
  CHECK(names[0] == "vectorized_elementwise_kernel<CUDAFunctor_add> [float]");
  CHECK(names[1].find("vectorized_elementwise_kernel<CUDAFunctor_add> [c10") == 0);
  CHECK(names[2] == "ampere_sgemm_128x64_nn");
}

TEST_CASE(
    "long names without template arguments show the parts that differ, not themselves again") {
  const auto names = shown({
      "sm80_xmma_wgrad_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize64x128x32_stage3_"
      "warpsize2x2x1_g1_tensor16x8x16_kernel_cudnn",
      "sm80_xmma_wgrad_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32_stage3_"
      "warpsize2x2x1_g1_tensor16x8x16_kernel_cudnn",
  });
  CHECK(names[0].find(" [tilesize64x128x32]") != std::string::npos);
  CHECK(names[1].find(" [tilesize128x128x32]") != std::string::npos);
  CHECK(fit_distinct_name(names[0], 34) == "sm80_xmma_wgr\u2026 [tilesize64x128x32]");
  CHECK(fit_distinct_name(names[0], 20).size() == 20);  // no room for both
}

TEST_CASE("as many words are shown as it takes, and no more than three") {
  const auto names =
      shown({"void f<1, float>(int)", "void f<1, double>(int)", "void f<2, float>(int)"});
  CHECK(names[0] != names[1]);
  CHECK(names[0] != names[2]);
  CHECK(names[1] != names[2]);
}

TEST_CASE("equal names stay equal, whatever bytes they hold") {
  const auto names = shown({"\xff\x9f[", "\xff\x9f[", "", ""});
  CHECK(names[0] == names[1]);
  CHECK(names[2] == names[3]);
}
