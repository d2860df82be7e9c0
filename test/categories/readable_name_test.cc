#include "analysis/categories/readable_name.h"

#include <chrono>
#include <string>

#include "analysis/categories/annotation_name.h"
#include "analysis/report/utf8.h"
#include "test/support/catch.h"

using namespace deepprof;

TEST_CASE("mangled names are demangled and others left alone") {
  CHECK(demangled_name("_Z3addIfEvPT_i") == "void add<float>(float*, int)");
  CHECK(demangled_name("ampere_sgemm_128x64_nn") == "ampere_sgemm_128x64_nn");
  CHECK(demangled_name("_Zgarbage") == "_Zgarbage");
  CHECK(demangled_name("") == "");
}

TEST_CASE("a mangled name over the demangler's limit still tells its function") {
  std::string endless = "_ZN7cutlass7Kernel2I";
  for (int i = 0; i < 5000; ++i) endless += "Li4E";
  CHECK(demangled_name(endless + "EvT_") == "cutlass::Kernel2<...>");
  std::string universal =
      "_ZN7cutlass13device_kernelINS_4gemm6kernel13GemmUniversalIN4cute5tupleIJ";
  for (int i = 0; i < 2000; ++i) universal += "iS1_";
  CHECK(demangled_name(universal + "EEEEEEvT_") ==
        "cutlass::device_kernel<GemmUniversal<...>, ...>");
  CHECK(short_name(universal + "EEEEEEvT_") == "device_kernel<GemmUniversal>");
  CHECK(demangled_name("_ZN99999999999999999999999x") == "_ZN99999999999999999999999x");
}

TEST_CASE("a name that stands for gigabytes costs next to nothing") {
  // B<S0, S0>, B<S1, S1>, ...: every argument is twice as long as the one before.
  std::string bomb = "_Z1f1BIiiE";
  const std::string digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (int i = 0; i < 30; ++i) {
    const std::string back = std::string("S") + digits[static_cast<size_t>(i)] + "_";
    bomb += "S_I" + back + back + "E";
  }
  const auto start = std::chrono::steady_clock::now();
  const std::string name = demangled_name(bomb);
  const auto took = std::chrono::steady_clock::now() - start;
  CHECK(name.size() < 1000);
  CHECK(took < std::chrono::milliseconds(200));
}

TEST_CASE("the argument list is cut, and nothing that only looks like one") {
  CHECK(without_arguments("void f<int>(float*, g(*)(int))") == "void f<int>");
  CHECK(without_arguments("ampere_sgemm") == "ampere_sgemm");
  CHECK(without_arguments("f::operator()(int) const") == "f::operator()");
  CHECK(without_arguments("f::operator()") == "f::operator()");
  CHECK(without_arguments("(anonymous namespace)") == "(anonymous namespace)");
  CHECK(without_arguments("f(int) [clone .kd]") == "f");
  CHECK(without_arguments("unbalanced)") == "unbalanced)");
  CHECK(without_arguments(")") == ")");
  CHECK(without_arguments("") == "");
}

TEST_CASE("short names keep what tells kernels apart") {
  CHECK(short_name(
            "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
            "at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>)") ==
        "vectorized_elementwise_kernel<CUDAFunctor_add>");
  CHECK(short_name("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
                   "at::native::MeanOps<float, "
                   "float, float, float>, unsigned int, float, 4> >(int)") ==
        "reduce_kernel<ReduceOp<MeanOps>>");
  CHECK(short_name("void at::native::(anonymous "
                   "namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
                   "namespace)::TensorListMetadata<4>, at::native::(anonymous "
                   "namespace)::FusedAdamMathFunctor<float, "
                   "4> >(int)") == "multi_tensor_apply_kernel<FusedAdamMathFunctor>");
  CHECK(short_name(
            "void at::native::unrolled_elementwise_kernel<at::native::direct_copy_kernel_cuda(at::"
            "TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda(float)#1}, "
            "at::detail::Array<char*, "
            "2> >(int)") == "unrolled_elementwise_kernel<direct_copy_kernel_cuda>");
  CHECK(
      short_name("void cutlass::Kernel<cutlass_80_wmma_tensorop_f16_s161616gemm_f16_16x16>(int)") ==
      "Kernel<cutlass_80_wmma_tensorop_f16_s161616gemm_f16_16x16>");
  CHECK(short_name("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)") ==
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL");
  CHECK(short_name("void at::native::elementwise_kernel<128, 4, "
                   "at::native::gpu_kernel_impl_nocast<at::native::"
                   "direct_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() "
                   "const::{lambda(float)#1}"
                   ">(at::TensorIteratorBase&, {lambda(float)#1} const&)::{lambda(int)#1}>(int)") ==
        "elementwise_kernel<direct_copy_kernel_cuda>");
  CHECK(short_name(
            "std::enable_if<(((8)>(0)))&&vllm::_typeConvert<c10::BFloat16>::exists, void>::type "
            "vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(c10::BFloat16*, long)") ==
        "fused_add_rms_norm_kernel");
  CHECK(short_name("Memcpy HtoD (Pageable -> Device)") == "Memcpy HtoD (Pageable -> Device)");
}

TEST_CASE("a name too wide loses its middle and keeps both ends") {
  const std::string name =
      short_name("ampere_fp16_s16816gemm_fp16_64x64_ldg8_f2f_stages_64x5_tn", 30);
  CHECK(name.size() == 30);
  CHECK(name.substr(0, 11) == "ampere_fp16");
  CHECK(name.substr(24) == "4x5_tn");
  for (size_t width = 0; width < 12; ++width)
    CHECK(cut_middle("0123456789ab", width).size() <= width);
}

TEST_CASE("width is counted in columns and never splits a character") {
  const std::string wide =
      "\xe6\xa0\xb8\xe6\xa0\xb8\xe6\xa0\xb8\xe6\xa0\xb8";  // four wide characters
  CHECK(display_width(wide) == 8);
  const std::string cut = cut_middle(wide, 7);
  CHECK(display_width(cut) <= 7);
  CHECK(printable(cut) == cut);
}

TEST_CASE("any bytes at all give a short printable name") {
  uint32_t state = 12345;
  for (int round = 0; round < 5000; ++round) {
    std::string raw = round % 2 == 0 ? "_Z" : "";
    const std::string alphabet =
        std::string("_ZN12a<>(){}[]:, \"") + '\xe6' + '\x9f' + '\0' + "oper";
    for (int i = 0; i < 40; ++i) {
      state = state * 1664525u + 1013904223u;
      raw += alphabet[(state >> 16) % alphabet.size()];
    }
    const std::string name = short_name(raw, 20);
    REQUIRE(display_width(name) <= 20);
    REQUIRE(printable(name) == name);
  }
}

TEST_CASE("an annotation keeps its beginning, however much of C++ is in it") {
  CHECK(short_name("aten::empty") == "aten::empty");
  CHECK(short_name("void at::native::addmm<float, int>(int)") !=
        "void at::native::addmm<float, int>(int)");
}

TEST_CASE("an annotation of JAX is a path and no function of C++") {
  CHECK(short_annotation("jit(train_step)/jit(main)/dot_general") ==
        "jit(train_step)/jit(main)/dot_general");
  CHECK(short_annotation("jit(step)") == "jit(step)");
  CHECK(short_annotation("aten::mm, seq = 12, op_id = 34") == "aten::mm");
  CHECK(short_annotation("a_function_with_a_long_name", 12).size() == 12);
}

TEST_CASE("an annotation is called what it is without the numbers of the call") {
  CHECK(annotation_name("aten::mm, seq = 12, op_id = 34") == "aten::mm");
  CHECK(annotation_name("aten::add, op_id = 9, input_op_ids = [(8,0)]") == "aten::add");
  CHECK(annotation_name("aten::mm, sizes = [[2, 3], [3, 4]]") == "aten::mm");
  CHECK(annotation_name("step 5, seq") == "step 5, seq");
  CHECK(short_name("aten::mm, seq = 12, op_id = 34") == "aten::mm");
}
