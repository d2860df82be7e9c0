// The whole summary of a constructed run, and that what it prints adds up.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "analysis/report/summary.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using deepprof::test::TraceBuilder;

namespace {

struct Run {
  Trace trace;
  Mined mined;
};

// 40 iterations of 10 ms: the batch comes late, a forward and backward pass on stream 7 with an
// all-reduce beside and behind it on stream 20, an optimizer step and a loss that is read back.
// Iteration 25 waits 30 ms longer for its batch. Times in microseconds.
Run training_run() {
  TraceBuilder t;
  std::vector<int64_t> starts;
  int64_t now = 1000;
  for (int i = 0; i < 40; ++i) {
    const int64_t late = i == 25 ? 30'000 : 0;
    t.range(RangeSource::annotation,
            "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", now - 1900,
            now + late + 90);
    now += late;
    starts.push_back(now + 110);
    t.stream(7)
        .launch("cudaMemcpyAsync", now + 100, now + 105)
        .copy(CopyKind::host_to_device, now + 110, now + 410, 19'267'584);
    const auto kernel = [&](const char* name, int64_t from, int64_t to) {
      t.launch("cudaLaunchKernel", now + 110 + (from - 420) / 20, now + 114 + (from - 420) / 20)
          .kernel(name, now + from, now + to);
    };
    kernel("sm80_xmma_fprop_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32", 420,
           1920);
    kernel("void at::native::batch_norm_collect_statistics_channels_last_kernel<float>(int)", 1925,
           2325);
    kernel(
        "void at::native::vectorized_elementwise_kernel<4, at::native::relu_kernel, "
        "at::detail::Array<char*, 2>>(int)",
        2330, 2530);
    kernel(
        "void at::native::(anonymous "
        "namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float>(float*)",
        2532, 2552);
    kernel("sm80_xmma_dgrad_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize128x128x32", 2560,
           5060);
    kernel("ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_nt", 5064, 5864);
    t.stream(20)
        .launch("cudaLaunchKernel", now + 700, now + 705)
        .kernel("ncclDevKernel_AllReduce_Sum_f16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                now + 4200, now + 6600);
    t.stream(7)
        .launch("cudaLaunchKernel", now + 710, now + 714)
        .kernel(
            "void at::native::(anonymous "
            "namespace)::multi_tensor_apply_kernel<TensorListMetadata<4>, "
            "FusedAdamMathFunctor<float, 4>>(int)",
            now + 6650, now + 7250);
    t.launch("cudaMemcpyAsync", now + 720, now + 725)
        .copy(CopyKind::device_to_host, now + 7254, now + 7256, 4, MemoryKind::pinned);
    t.call("cudaStreamSynchronize", now + 726, now + 8100);
    // Zeroed for the next iteration once the loss was read.
    t.launch("cudaMemsetAsync", now + 8060, now + 8064).memset(now + 8066, now + 8076);
    now += 10'000;
  }
  t.raw().devices.push_back(
      {.id = 0, .name = "NVIDIA A100-SXM4-40GB", .sm_count = 108, .memory_bytes = 42'505'273'344});
  t.raw().process = {"gpu-07", 41873, "python train.py --batch 64", 0, 8, "deepprof 1.0", {}};
  t.raw().losses[Loss::bad_timestamp] = 4;
  Run run{t.build(), {}};

  DeviceMined device;
  device.verdict = Verdict::iteration;
  device.confidence = 0.97;
  device.coverage = 1;
  device.launch_order = true;
  for (uint32_t i = 0; i < run.trace.ops.size(); ++i) device.order.push_back(i);
  std::stable_sort(device.order.begin(), device.order.end(), [&](uint32_t a, uint32_t b) {
    return run.trace.ops[a].correlation < run.trace.ops[b].correlation;
  });
  const auto per = static_cast<uint32_t>(run.trace.ops.size() / starts.size());
  device.ops_per_iteration = per;
  for (uint32_t i = 0; i < starts.size(); ++i) {
    Iteration iteration;
    iteration.number = i;
    iteration.first = i * per;
    iteration.last = iteration.first + per;
    iteration.section = i < 2 ? 0 : 1;
    iteration.start_ns = t.at(starts[i]);
    iteration.end_ns = i + 1 < starts.size() ? t.at(starts[i + 1]) : run.trace.ops.back().end_ns();
    device.iterations.push_back(iteration);
  }
  const auto section = [&](SectionKind kind, uint32_t first, uint32_t last) {
    Section part;
    part.kind = kind;
    part.first = first * per;
    part.last = last * per;
    part.start_ns = device.iterations[first].start_ns;
    part.end_ns = device.iterations[last - 1].end_ns;
    part.iterations = last - first;
    device.sections.push_back(part);
  };
  section(SectionKind::warm_up, 0, 2);
  section(SectionKind::training, 2, 40);
  device.levels = {{11, 40, 1, "iterations"},
                   {3, 120, 0.8, "layers or other parts, about 3.7 in an iteration"}};
  device.decided_by = "one optimizer run in each";
  run.mined.devices.push_back(std::move(device));
  return run;
}

std::string summary_of(const Run& run) {
  SummaryOptions options;
  options.batch = 64;
  options.wrote =
      "wrote deepprof.gpu-07.41873.dprof (38 MB), .report.txt     next: deepprof gaps "
      "deepprof.gpu-07.41873.dprof";
  return summary_text(run.trace, run.mined, options);
}

std::string file_text(const std::string& path) {
  std::string text;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return text;
  char block[4096];
  for (size_t got; (got = std::fread(block, 1, sizeof block, file)) > 0;) text.append(block, got);
  std::fclose(file);
  return text;
}

// Lines of the section that starts with `heading`, without the heading.
std::vector<std::string> section_lines(const std::string& text, const std::string& heading) {
  std::vector<std::string> lines;
  size_t at = text.find("\n" + heading);
  REQUIRE(at != std::string::npos);
  at = text.find('\n', at + 1) + 1;
  while (at < text.size() && text[at] != '\n') {
    const size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// The figure before " ms" or " us" in thousandths of that unit, and before " %" in tenths, after
// column `from`.
int64_t thousandths(const std::string& line, size_t from, const char* unit) {
  const size_t end = line.find(unit, from);
  REQUIRE(end != std::string::npos);
  size_t start = end;
  while (start > 0 &&
         (std::isdigit(static_cast<unsigned char>(line[start - 1])) || line[start - 1] == '.'))
    --start;
  return static_cast<int64_t>(std::strtod(line.substr(start, end - start).c_str(), nullptr) * 1000 +
                              0.5);
}

}  // namespace

TEST_CASE("the summary of the constructed run reads as kept in summary.txt") {
  const std::string path =
      std::string(std::getenv("DEEPPROF_SOURCE_DIR")) + "/test/golden/summary.txt";
  const std::string expected = file_text(path), actual = summary_of(training_run());
  INFO("expected in " << path << ", got:\n" << actual);
  CHECK(actual == expected);
}

TEST_CASE("what the summary prints adds up") {
  const std::string text = summary_of(training_run());
  INFO(text);
  const size_t title = text.find("WHERE THE TIME GOES");
  const auto time_lines = section_lines(text, "WHERE THE TIME GOES");
  int64_t time = 0, share = 0;
  for (size_t i = 0; i < 5; ++i) {
    time += thousandths(time_lines[i], 0, " ms");
    share += thousandths(time_lines[i], 0, " %");
  }
  CHECK(time == thousandths(text, title, " ms"));
  CHECK(share == 100'000);

  const size_t idle_title = text.find("WHY THE GPU WAS IDLE");
  int64_t idle = 0, idle_share = 0;
  for (const std::string& line : section_lines(text, "WHY THE GPU WAS IDLE")) {
    idle += thousandths(line, 0, " ms");
    idle_share += thousandths(line, 0, " %");
  }
  CHECK(idle == thousandths(text, idle_title, " ms"));
  CHECK(idle_share == 100'000);
}

TEST_CASE("a finding says a figure of the tables in the tables' digits") {
  const std::string text = summary_of(training_run());
  const std::string findings = text.substr(text.find("\nFINDINGS"));
  INFO(text);
  const auto first_time = [](const std::string& line) {
    const size_t end = line.find(" ms");
    return line.substr(line.rfind(' ', end - 1) + 1, end + 3 - line.rfind(' ', end - 1) - 1);
  };
  const auto idle = section_lines(text, "WHY THE GPU WAS IDLE"),
             time = section_lines(text, "WHERE THE TIME GOES");
  CHECK(findings.find("the GPU waits " + first_time(idle[0]) + " per iteration") !=
        std::string::npos);
  CHECK(findings.find("the GPU waits " + first_time(idle[1]) + " per iteration") !=
        std::string::npos);
  CHECK(findings.find("communication-bound: " + first_time(time[1]) + " per iteration") !=
        std::string::npos);
}
