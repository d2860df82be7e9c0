// The modelled training job of test/fake, from its ops to the summary: iterations are mined, nobody
// is told.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>

#include "analysis/findings/slow.h"
#include "analysis/iterations/mine.h"
#include "analysis/report/summary.h"
#include "test/fake/workload/resnet.h"
#include "test/support/catch.h"

using namespace deepprof;

namespace {

Trace trace_of(const recording::Recording& recording) {
  Trace trace;
  std::vector<NameId> names;
  for (const std::string& name : recording.names) names.push_back(trace.names.intern(name));
  for (const recording::Thread& thread : recording.threads) {
    trace.threads.push_back({thread.pid, thread.tid, recording.names[thread.name]});
  }
  for (const recording::Device& device : recording.devices) {
    Device known;
    known.id = device.id;
    known.name = recording.names[device.name];
    known.sm_count = device.sm_count;
    known.memory_bytes = device.memory_bytes;
    trace.devices.push_back(known);
  }
  for (const recording::Call& call : recording.calls) {
    trace.calls.push_back({call.start_ns, call.end_ns - call.start_ns, call.correlation,
                           names[call.name], call.thread});
  }
  for (const recording::Op& from : recording.ops) {
    Op op;
    op.start_ns = from.start_ns;
    op.duration_ns = from.end_ns - from.start_ns;
    op.correlation = from.correlation;
    op.name = names[from.name];
    // Copies and fills come without a name; capture and importers give them one.
    if (op.name == 0)
      op.name = trace.names.intern(from.kind == 3        ? "Memset (Device)"
                                   : from.copy_kind == 1 ? "Memcpy HtoD"
                                                         : "Memcpy DtoH");
    op.stream = from.stream;
    op.device = static_cast<uint16_t>(from.device);
    op.kind = static_cast<Kind>(from.kind);
    Detail detail;
    detail.bytes = from.bytes;
    detail.grid_x = static_cast<uint32_t>(from.grid[0]);
    detail.grid_y = static_cast<uint16_t>(from.grid[1]);
    detail.grid_z = static_cast<uint16_t>(from.grid[2]);
    detail.copy_kind = static_cast<CopyKind>(from.copy_kind);
    detail.source = static_cast<MemoryKind>(from.source);
    detail.destination = static_cast<MemoryKind>(from.destination);
    trace.details.push_back(detail);
    op.detail = static_cast<uint32_t>(trace.details.size() - 1);
    trace.ops.push_back(op);
  }
  trace.finish();
  return trace;
}

// The figure before `unit` in a line, with its decimals as an integer.
int64_t digits_before(const std::string& line, size_t from, const std::string& unit) {
  const size_t end = line.find(unit, from);
  REQUIRE(end != std::string::npos);
  std::string digits;
  for (size_t at = end;
       at-- > 0 && (std::isdigit(static_cast<unsigned char>(line[at])) || line[at] == '.');) {
    if (line[at] != '.') digits.insert(digits.begin(), line[at]);
  }
  REQUIRE_FALSE(digits.empty());
  return std::atoll(digits.c_str());
}

// Sums what the lines of a section print in `unit`, and checks it against its title.
void check_section(const std::string& text, const std::string& title, size_t lines,
                   const std::string& unit) {
  size_t at = text.find(title);
  REQUIRE(at != std::string::npos);
  const int64_t total = digits_before(text, at, unit);
  int64_t sum = 0, share = 0;
  at = text.find('\n', at) + 1;
  for (size_t i = 0; i < lines && text[at] != '\n'; ++i) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    sum += digits_before(line, 0, unit);
    share += digits_before(line, 0, " %");
    at += line.size() + 1;
  }
  CHECK(sum == total);
  CHECK(share == 1000);
}

}  // namespace

TEST_CASE("the modelled job's summary adds up and blames the stalls on the host") {
  fake::ResnetOptions options;
  options.iterations = 120;
  options.warmup = 0;  // trying algorithms makes iterations slow for another reason
  options.evaluate_every = 50;
  options.checkpoint_every = 0;
  options.stall_share = 0.05;
  const Trace trace = trace_of(fake::model_resnet(options).recording);
  const Mined mined = mine(trace);
  const Figures figures = compute_figures(trace, mined);
  const DeviceFigures& device = figures.main();
  REQUIRE(device.has_iterations());

  const std::string text = summary_text(trace, mined, {});
  INFO(text);
  check_section(text, "WHERE THE TIME GOES", 5, " ms");
  check_section(text, "WHY THE GPU WAS IDLE", 8, " ms");

  const SlowFigures slow = find_slow(device);
  REQUIRE_FALSE(slow.slow.empty());
  CHECK(std::string(part_name(slow.slow.front().grown_most)) == "host outside CUDA");
  CHECK(text.find("input-bound") != std::string::npos);
  for (size_t i = 0; i < device.iterations.size(); ++i) {
    int64_t parts = device.iterations[i].idle_ns, causes = 0;
    for (const int64_t part : device.iterations[i].exposed_ns) parts += part;
    for (const int64_t cause : device.iteration_idle[i]) causes += cause;
    const Iteration& iteration = device.mined->iterations[i];
    CHECK(parts == iteration.end_ns - iteration.start_ns);
    CHECK(causes == device.iterations[i].idle_ns);
  }
}

TEST_CASE("the time in which the modelled job's host writes a checkpoint is no iteration's") {
  for (const uint32_t checkpoint_every : {50u, 60u, 77u}) {
    fake::ResnetOptions options;
    options.evaluate_every = 50;
    options.checkpoint_every = checkpoint_every;
    options.stall_share = 0;
    const Mined mined = mine(trace_of(fake::model_resnet(options).recording));
    int64_t longest_ns = 0;
    for (const Iteration& iteration : mined.devices.at(0).iterations)
      longest_ns = std::max(longest_ns, iteration.end_ns - iteration.start_ns);
    CAPTURE(checkpoint_every);
    CHECK(longest_ns < 200'000'000);  // the first three try algorithms
  }
}
