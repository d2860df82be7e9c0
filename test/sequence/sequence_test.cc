#include "analysis/sequence/sequence.h"

#include "analysis/sequence/hints.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using deepprof::test::TraceBuilder;

namespace {

std::vector<std::string> names_in_order(const Trace& trace, const Sequence& sequence) {
  std::vector<std::string> names;
  for (const uint32_t op : sequence.order) names.emplace_back(trace.names[trace.ops[op].name]);
  return names;
}
using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("ops of several streams stand in the order in which they were launched") {
  TraceBuilder t;
  t.correlation(2).stream(7).kernel("second", 20, 30);
  t.correlation(1).stream(8).kernel("first", 25, 30);
  t.correlation(3).stream(8).kernel("third", 31, 32);
  const Trace trace = t.build();
  const Sequence sequence = make_sequence(trace, 0, true);
  CHECK(sequence.launch_order);
  CHECK(names_in_order(trace, sequence) == Names{"first", "second", "third"});
}

TEST_CASE("correlation ids may wrap") {
  TraceBuilder t;
  t.correlation(0xffffffff).kernel("a", 10, 20).correlation(3).kernel("c", 30, 40);
  t.stream(8).correlation(1).kernel("b", 35, 40);
  const Trace trace = t.build();
  CHECK(names_in_order(trace, make_sequence(trace, 0, true)) == Names{"a", "b", "c"});
}

TEST_CASE("ids that come round again do not mix the end of a run with its beginning") {
  constexpr int64_t kHour = 3'600'000'000;
  TraceBuilder t;
  t.correlation(5).kernel("a", 10, 20).correlation(7).kernel("c", 30, 40);
  t.stream(8).correlation(6).kernel("b", 35, 40);
  t.correlation(0xc0000001).kernel("e", 2 * kHour, 2 * kHour + 9);
  t.stream(7).correlation(0xc0000000).kernel("d", 2 * kHour + 1, 2 * kHour + 9);
  t.correlation(6).kernel("g", 5 * kHour, 5 * kHour + 9);
  t.stream(8).correlation(4).kernel("f", 5 * kHour + 1, 5 * kHour + 9);
  const Trace trace = t.build();
  const Sequence sequence = make_sequence(trace, 0, true);
  CHECK(sequence.launch_order);
  CHECK(names_in_order(trace, sequence) == Names{"a", "b", "c", "d", "e", "f", "g"});
}

TEST_CASE("ids of two processes on one GPU, far apart, do not come round again") {
  constexpr int64_t kMinute = 60'000'000;
  constexpr uint32_t kMinutes = 30;
  TraceBuilder t;
  for (uint32_t i = 0; i < kMinutes; ++i) {
    const int64_t at = i * kMinute;
    const uint32_t first = i + 1, second = first ^ 1u << 28;
    t.thread(0).call("cudaLaunchKernel", at, at + 1, first);
    t.correlation(first).stream(7).kernel("a", at + 5, at + 9);
    t.thread(1).call("cudaLaunchKernel", at, at + 1, second);
    t.correlation(second).stream(8).kernel("b", at + 6, at + 9);
  }
  t.raw().threads[1].pid = 2;
  const Trace trace = t.build();
  Names by_process(kMinutes, "a");
  by_process.resize(2 * size_t{kMinutes}, "b");
  CHECK(names_in_order(trace, make_sequence(trace, 0, true)) == by_process);
}

TEST_CASE("ops of one graph launch stand by graph node, then start") {
  TraceBuilder t;
  t.correlation(5)
      .stream(7)
      .graph_node(12)
      .kernel("two", 10, 20)
      .stream(8)
      .graph_node(11)
      .kernel("one", 11, 20);
  t.graph_node(13).stream(9).kernel("three", 9, 20);
  const Trace trace = t.build();
  CHECK(names_in_order(trace, make_sequence(trace, 0, true)) == Names{"one", "two", "three"});
}

TEST_CASE(
    "an op without an id stands behind the op that started before it, on one stream and on two") {
  for (const uint32_t stream : {7u, 8u}) {
    TraceBuilder t;
    t.stream(7).correlation(1).kernel("a", 10, 11).correlation(0).kernel("b", 12, 13);
    t.stream(stream)
        .correlation(2)
        .kernel("c", 14, 15)
        .stream(7)
        .correlation(3)
        .kernel("d", 16, 17);
    const Trace trace = t.build();
    const Sequence sequence = make_sequence(trace, 0, true);
    CHECK(sequence.launch_order);
    CHECK(names_in_order(trace, sequence) == Names{"a", "b", "c", "d"});
  }
}

TEST_CASE("one op that starts before an earlier launch's puts all ops in order of launch") {
  TraceBuilder t;
  t.correlation(1).kernel("a", 10, 11).correlation(2).kernel("b", 12, 13);
  t.stream(8).correlation(4).kernel("d", 13, 15).stream(7).correlation(3).kernel("c", 14, 15);
  t.correlation(5).kernel("e", 16, 17);
  const Trace trace = t.build();
  CHECK(names_in_order(trace, make_sequence(trace, 0, true)) == Names{"a", "b", "c", "d", "e"});
}

TEST_CASE("without correlation ids the busiest stream is read, and the others stay in the order") {
  TraceBuilder t;
  t.correlation(0);
  for (int i = 0; i < 4; ++i) t.stream(7).kernel("main", i * 10, i * 10 + 5);
  t.stream(8).kernel("side", 12, 20);
  const Trace trace = t.build();
  const Sequence sequence = make_sequence(trace, 0, true);
  CHECK_FALSE(sequence.launch_order);
  CHECK(sequence.order.size() == 5);
  REQUIRE(sequence.size() == 4);
  CHECK(sequence.position(1) == 1);
  CHECK(sequence.position(2) == 3);
  CHECK(sequence.position(4) == 5);
}

TEST_CASE("a scalar that is copied to the device is told from input") {
  TraceBuilder t;
  t.copy(CopyKind::host_to_device, 1, 2, 8)
      .copy(CopyKind::host_to_device, 2, 3, 4096)
      .copy(CopyKind::host_to_device, 3, 4);
  const Sequence s = make_sequence(t.build(), 0, true);
  CHECK(s.hint(0) == Hint::scalar_to_device);
  CHECK(s.hint(1) == Hint::copy_to_device);
  CHECK(s.hint(2) == Hint::copy_to_device);  // size not known
}

TEST_CASE("copies differ by direction, fills are one symbol, kernels differ by name") {
  TraceBuilder t;
  t.kernel("a", 1, 2).kernel("b", 2, 3).kernel("a", 3, 4).memset(4, 5).memset(5, 6);
  t.copy(CopyKind::host_to_device, 6, 7, 100)
      .copy(CopyKind::device_to_host, 7, 8)
      .copy(CopyKind::host_to_device, 8, 9, 500);
  for (uint32_t i = 0; i < t.raw().ops.size(); ++i) t.raw().ops[i].correlation = i + 1;
  const Sequence s = make_sequence(t.build(), 0, true);
  CHECK(s.symbols == std::vector<uint32_t>{0, 1, 0, 2, 2, 3, 4, 3});
  CHECK(s.hint(3) == Hint::fill);
  CHECK(s.hint(5) == Hint::copy_to_device);
  CHECK(s.hint(6) == Hint::copy_to_host);
}

TEST_CASE("lamb is an optimizer and lambda is not") {
  CHECK(names_optimizer("multi_tensor_lamb_kernel"));
  CHECK(names_optimizer(
      "void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>>(int)"));
  CHECK_FALSE(names_optimizer("gpu_kernel_impl<sigmoid(at::TensorIterator&)::{lambda()#2}>"));
  CHECK_FALSE(names_optimizer("ampere_sgemm_128x64_tn"));
  CHECK_FALSE(names_optimizer(
      "void multi_tensor_apply_kernel<TensorListMetadata<2>, UnaryOpFunctor<float, 2, 1, 1>, "
      "at::native::Copy<float, float> >(int)"));
}

TEST_CASE("kernels of a backward pass are told by their names") {
  for (const char* name : {"cudnn::cnn::wgrad2d_grouped_direct_kernel", "flash_bwd_dot_do_o_kernel",
                           "layer_norm_grad_input_backward_kernel", "bwd_sm80_gemm"})
    CHECK(names_gradient(name));
  CHECK_FALSE(names_gradient("cudnn::detail::dgrad_engine"));
  CHECK_FALSE(names_gradient("flash_fwd_kernel"));
}
