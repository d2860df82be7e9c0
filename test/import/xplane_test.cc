// XPlane files as JAX writes them on an NVIDIA GPU, made here field by field.
#include <initializer_list>
#include <string>

#include <protozero/pbf_writer.hpp>

#include "analysis/import/load.h"
#include "test/import/temporary_file.h"
#include "test/support/catch.h"

using namespace deepprof;
using deepprof::test::TemporaryFile;
using protozero::pbf_writer;

namespace {

enum : int64_t {
  kCorrelation = 1,
  kKernelDetails,
  kCopyDetails,
  kNode,
  kStepNum,
  kGemmText,
  kOpName,
  kHloOp
};
constexpr std::initializer_list<std::pair<int64_t, const char*>> kStatNames = {
    {kCorrelation, "correlation_id"},
    {kKernelDetails, "kernel_details"},
    {kCopyDetails, "memcpy_details"},
    {kNode, "cuda_graph_node_id"},
    {kStepNum, "step_num"},
    {kOpName, "name"},
    {kHloOp, "hlo_op"},
    {kGemmText,
     "regs:64 static_shared:1024 dynamic_shared:512 grid:108,2,1 block:256,1,1 occ_pct:50"}};

class Message {
 public:
  Message& number(uint32_t tag, int64_t value) {
    return pbf_writer(bytes).add_int64(tag, value), *this;
  }
  Message& text(uint32_t tag, std::string_view value) {
    return pbf_writer(bytes).add_string(tag, value.data(), value.size()), *this;
  }
  Message& add(uint32_t tag, const Message& value) { return text(tag, value.bytes); }
  std::string bytes;
};

Message number_stat(int64_t metadata, int64_t value) {
  return Message().number(1, metadata).number(4, value);
}
Message text_stat(int64_t metadata, std::string_view value) {
  return Message().number(1, metadata).text(5, value);
}
Message reference_stat(int64_t metadata, int64_t to) {
  return Message().number(1, metadata).number(7, to);
}

Message event(int64_t name, int64_t offset_ps, int64_t duration_ps,
              std::initializer_list<Message> stats) {
  Message message;
  message.number(1, name).number(2, offset_ps).number(3, duration_ps);
  for (const Message& stat : stats) message.add(4, stat);
  return message;
}
Message line(int64_t id, std::string_view name, int64_t time_ns,
             std::initializer_list<Message> events) {
  Message message;
  message.number(1, id).text(2, name).number(3, time_ns);
  for (const Message& one : events) message.add(4, one);
  return message;
}
Message plane(std::string_view name, std::initializer_list<Message> lines,
              std::initializer_list<std::pair<int64_t, const char*>> event_names) {
  Message message;
  message.number(1, 7).text(2, name);
  for (const Message& one : lines) message.add(3, one);
  for (const auto& [id, text] : event_names)
    message.add(4, Message().number(1, id).add(2, Message().number(1, id).text(2, text)));
  for (const auto& [id, text] : kStatNames)
    message.add(5, Message().number(1, id).add(2, Message().number(1, id).text(2, text)));
  return message;
}

std::string made_profile() {
  return Message()
      .add(1,
           plane("/device:GPU:1",
                 {line(13, "Stream #13(MemcpyH2D,Compute)", 5000,
                       {event(1, 1'000'000, 2'500'999,
                              {number_stat(kCorrelation, 42), number_stat(kNode, 9),
                               reference_stat(kKernelDetails, kGemmText)}),
                        event(2, 8'000'000, 1'000'000,
                              {number_stat(kCorrelation, 43),
                               text_stat(
                                   kCopyDetails,
                                   "kind_src:pinned kind_dst:device size:4096 dest:0 async:1")})}),
                  line(99, "XLA Ops", 5000, {event(1, 1'000'000, 9'000'000, {})})},
                 {{1, "loop_fusion_7"}, {2, "MemcpyH2D"}}))
      .add(1, plane("/host:CPU",
                    {line(11, "python3", 4000,
                          {event(1, 0, 700'000, {number_stat(kCorrelation, 42)}),
                           event(2, 2'000'000, 10'000'000, {number_stat(kStepNum, 3)}),
                           event(3, 0, 1'000, {})})},
                    {{1, "cuLaunchKernel"}, {2, "train"}, {3, "$train.py:7 step"}}))
      .text(4, "node7")
      .bytes;
}

}  // namespace

TEST_CASE("an XPlane file gives streams' ops with launches and sizes, and no derived rows") {
  const TemporaryFile file(made_profile());
  auto trace = load_trace(file.path());
  REQUIRE(trace.ok());
  REQUIRE(trace->ops.size() == 2);
  const Op& kernel = trace->ops[0];
  CHECK(trace->names[kernel.name] == "loop_fusion_7");
  CHECK(kernel.start_ns == 6000);
  CHECK(kernel.duration_ns == 2500);
  CHECK(kernel.device == 1);
  CHECK(kernel.stream == 13);
  CHECK(kernel.graph_node == 9);
  CHECK(trace->details[kernel.detail].grid_x == 108);
  CHECK(trace->details[kernel.detail].block_x == 256);
  CHECK(trace->details[kernel.detail].registers == 64);
  CHECK(trace->details[kernel.detail].shared_bytes == 1536);
  REQUIRE(kernel.launch != kNone);
  CHECK(trace->names[trace->calls[kernel.launch].name] == "cuLaunchKernel");
  const Op& copy = trace->ops[1];
  CHECK(copy.kind == Kind::memcpy);
  CHECK(trace->details[copy.detail].bytes == 4096);
  CHECK(trace->details[copy.detail].copy_kind == CopyKind::host_to_device);
  CHECK(trace->details[copy.detail].source == MemoryKind::pinned);
  CHECK(trace->process.host == "node7");
}

TEST_CASE("what the host did in an XPlane file is told apart: calls, steps, Python") {
  const TemporaryFile file(made_profile());
  auto trace = load_trace(file.path());
  REQUIRE(trace.ok());
  REQUIRE(trace->calls.size() == 1);
  CHECK(trace->calls[0].start_ns == 4000);
  CHECK(trace->threads[trace->calls[0].thread].name == "python3");
  REQUIRE(trace->ranges.size() == 2);
  CHECK(trace->ranges[0].source == RangeSource::python);
  CHECK(trace->ranges[1].source == RangeSource::step);
  CHECK(trace->names[trace->ranges[1].name] == "train 3");
}

TEST_CASE("an XPlane file cut anywhere is an error of one line or a shorter trace, never a crash") {
  const std::string whole = made_profile();
  for (size_t size = 1; size < whole.size(); ++size) {
    const TemporaryFile file(whole.substr(0, size));
    const auto trace = load_trace(file.path());
    if (trace.ok()) CHECK(trace->ops.size() == 2);
    else CHECK(trace.status().message().find('\n') == absl::string_view::npos);
  }
  const TemporaryFile file(whole.substr(0, whole.size() - 1));
  const auto trace = load_trace(file.path());
  REQUIRE_FALSE(trace.ok());
  CHECK(std::string(trace.status().message()).find("in what begins at byte ") != std::string::npos);
}

TEST_CASE("a call in an XPlane file is in the operator that it was made for, else in its HLO op") {
  const auto launch = [](int64_t at_ps, std::initializer_list<Message> stats) {
    return event(1, at_ps, 700'000, stats);
  };
  const TemporaryFile file(
      Message()
          .add(1,
               plane("/host:CPU",
                     {line(11, "Host Threads", 4000,
                           {launch(0, {number_stat(kCorrelation, 42), text_stat(kHloOp, "fusion.1"),
                                       text_stat(kOpName, "jit(f)/dot_general")}),
                            launch(1'000'000,
                                   {number_stat(kCorrelation, 43), text_stat(kHloOp, "fusion.2")}),
                            launch(2'000'000, {number_stat(kCorrelation, 44)})})},
                     {{1, "hipModuleLaunchKernel"}}))
          .bytes);
  auto trace = load_trace(file.path());
  REQUIRE(trace.ok());
  CHECK(trace->calls.size() == 3);
  REQUIRE(trace->ranges.size() == 2);
  CHECK(trace->names[trace->ranges[0].name] == "jit(f)/dot_general");
  CHECK(trace->ranges[0].source == RangeSource::framework_op);
  CHECK(trace->ranges[0].start_ns == trace->calls[0].start_ns);
  CHECK(trace->ranges[0].duration_ns == 700);
  CHECK(trace->ranges[0].thread == trace->calls[0].thread);
  CHECK(trace->names[trace->ranges[1].name] == "fusion.2");
}
