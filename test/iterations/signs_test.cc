// What shows where iterations begin, and what only seems to.
#include <string>
#include <utility>
#include <vector>

#include "analysis/iterations/mine.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using deepprof::test::TraceBuilder;

namespace {

// Writes ops one behind the other, as one stream runs them.
class Stream {
 public:
  void kernel(const std::string& name) {
    t_.launch("cudaLaunchKernel", now_ - 5, now_ - 3).kernel(name, now_, now_ + 8);
    now_ += 10;
  }
  void copy(CopyKind kind, uint64_t bytes) {
    t_.launch("cudaMemcpyAsync", now_ - 5, now_ - 3).copy(kind, now_, now_ + 2, bytes);
    now_ += 10;
  }
  // The host is busy outside CUDA.
  void pause(int64_t us) { now_ += us; }
  // A range of the host around what ran last.
  void range(const std::string& name) { t_.range(RangeSource::python, name, now_ - 8, now_); }
  void only_name(const std::string& name) { t_.raw().names.intern(name); }
  DeviceMined mined() { return mine(t_.build()).devices[0]; }

 private:
  TraceBuilder t_;
  int64_t now_ = 100;
};

}  // namespace

TEST_CASE("Copies in front of every kernel mark no group of them") {
  // Rows of a triangular matrix that do not wait for each other are solved by one launch: it is
  // told how many. The sizes return, now and then with one more.
  const std::vector<uint64_t> rows{23, 35, 42, 1, 1, 3, 6, 12, 24, 56, 108, 34};
  Stream stream;
  for (int block = 0; block < 100; ++block) {
    for (const uint64_t width : rows) {
      stream.copy(CopyKind::host_to_device, 4 * width);
      stream.kernel("solve");
      if (width == 56 && block % 17 == 3)
        stream.copy(CopyKind::host_to_device, 4 * width), stream.kernel("solve");
    }
  }
  const DeviceMined mined = stream.mined();
  CHECK(mined.verdict == Verdict::repeating_block);
}

TEST_CASE("An input copied in front of two kernels makes them an iteration") {
  Stream stream;
  for (int i = 0; i < 500; ++i) {
    stream.copy(CopyKind::host_to_device, 4096);
    stream.kernel("scale");
    stream.kernel("add");
    stream.copy(CopyKind::device_to_host, 4096);
  }
  const DeviceMined mined = stream.mined();
  CHECK(mined.verdict == Verdict::iteration);
  CHECK(mined.iterations.size() == 500);
}

TEST_CASE("An optimizer of one op ends its iteration, however long the host waits in front of it") {
  // The recording begins and ends in the middle of iterations.
  constexpr int kOps = 40, kBegin = 17;
  Stream stream;
  for (int i = kBegin; i < 8 * kOps + kBegin; ++i) {
    const int op = i % kOps;
    if (op == kOps - 1) stream.pause(900);
    if (op == 0) stream.pause(200);
    stream.kernel(op == kOps - 1 ? "multi_tensor_apply_kernel" : "kernel_" + std::to_string(op));
  }
  const DeviceMined mined = stream.mined();
  CHECK(mined.verdict == Verdict::iteration);
  REQUIRE(mined.iterations.size() >= 7);
  // By the op that is first in its iteration.
  for (const Iteration& iteration : mined.iterations) CHECK((iteration.first + kBegin) % kOps == 0);
}

TEST_CASE(
    "The op at which the recording begins is the cut, not the one behind it where the host waits") {
  // Every other run is recorded into a graph first, behind the copy of its input.
  Stream stream;
  for (int run = 0; run < 5; ++run) {
    stream.kernel("copy_input");
    for (int op = 0; op < 127 - run % 2; ++op) {
      if (run % 2 == 0 && op < 2) stream.pause(op == 0 ? 150'000 : 36'000);
      stream.kernel("kernel_" + std::to_string(op));
    }
    stream.pause(1'200 + 400 * run);
  }
  const DeviceMined mined = stream.mined();
  CHECK(mined.verdict == Verdict::iteration);
  REQUIRE(mined.iterations.size() == 5);
  for (uint32_t run = 0, at = 0; run < 5; at += 128 - run++ % 2)
    CHECK(mined.iterations[run].first == at);
}

TEST_CASE("What is named and never ran makes no training") {
  for (const bool ran : {false, true}) {
    Stream stream;
    stream.only_name("torch.autograd.backward");
    for (int i = 0; i < 20; ++i) {
      stream.copy(CopyKind::host_to_device, 4096);
      for (int op = 0; op < 30; ++op) stream.kernel("kernel_" + std::to_string(op));
      if (ran) stream.range("torch.autograd.backward");
    }
    const DeviceMined mined = stream.mined();
    REQUIRE(mined.sections.size() == 1);
    CHECK(mined.sections[0].kind == (ran ? SectionKind::training : SectionKind::steady));
  }
}

TEST_CASE("What consists of rows of layers is an iteration, though no sign tells, but not surely") {
  // Denoising steps of a model with two kinds of layers, the text encoder in front.
  Stream stream;
  const auto row = [&](const std::string& name, int layers, int ops) {
    for (int op = 0; op < layers * ops; ++op) stream.kernel(name + std::to_string(op % ops));
  };
  row("encode_", 1, 400);
  for (int step = 0; step < 4; ++step) {
    row("embed_", 1, 25);
    row("double_", 12, 20);
    row("single_", 16, 10);
    row("project_", 1, 5);
  }
  row("decode_", 1, 150);
  const DeviceMined mined = stream.mined();
  CHECK(mined.verdict == Verdict::iteration);
  CHECK(mined.iterations.size() == 4);
  CHECK(mined.confidence < kHighFrom);
}

TEST_CASE("Layers that consist of equal experts are no iterations where they are one pass") {
  Stream stream;
  for (int op = 0; op < 5; ++op) stream.kernel("embed_" + std::to_string(op));
  for (int layer = 0; layer < 24; ++layer) {
    for (int op = 0; op < 12; ++op) stream.kernel("attention_" + std::to_string(op));
    for (int op = 0; op < 8 * 7; ++op) stream.kernel("expert_" + std::to_string(op % 7));
  }
  for (int op = 0; op < 5; ++op) stream.kernel("head_" + std::to_string(op));
  CHECK(stream.mined().verdict != Verdict::iteration);
}

TEST_CASE("Iterations of which most hold far more or fewer ops are not sure without an optimizer") {
  // Insertions into a hash table, as many as the table then needs.
  for (const bool trains : {false, true}) {
    Stream stream;
    for (const int count : {10, 5, 8, 3, 16, 6, 19, 4, 12}) {
      stream.copy(CopyKind::host_to_device, 4096);
      for (int op = 0; op < 5; ++op) stream.kernel("prepare_" + std::to_string(op));
      for (int op = 0; op < 6 * count; ++op)
        stream.kernel("insert_" + std::to_string(op * count % 23));
      if (trains) stream.kernel("multi_tensor_apply_kernel");
      stream.copy(CopyKind::device_to_host, 4096);
      stream.pause(300);
    }
    const DeviceMined mined = stream.mined();
    REQUIRE(mined.verdict == Verdict::iteration);
    CHECK((mined.confidence < kLowBelow) != trains);
  }
}

TEST_CASE("Of long iterations a few ops may be lost where the recording begins and ends with one") {
  // The host pauses longest in front of each, and nearly as long at seven other places.
  Stream stream;
  for (int step = 0; step < 5; ++step) {
    for (int op = 0; op < 1200; ++op) {
      if (op == 0) stream.pause(40'000);
      if (op % 170 == 90) stream.pause(30'000);
      const bool lost = step == 4 && op >= 1195;
      if (!lost) stream.kernel("kernel_" + std::to_string(op % 7 == 3 ? 3 : op));
    }
  }
  const DeviceMined mined = stream.mined();
  CHECK(mined.verdict == Verdict::iteration);
  CHECK(mined.iterations.size() == 5);
}

TEST_CASE("What stands before the first block and behind the last is none, whatever its length") {
  // The embedding shares the kernels that every part of a model has, and is longer than a layer; what
  // the head does takes as many ops as one.
  const auto blocks = [](int embedding, int head) {
    Stream stream;
    const auto shared = [&](const std::string& name, int ops) {
      for (int op = 0; op < ops; ++op)
        stream.kernel(op % 3 == 0 ? name + std::to_string(op)
                                  : "elementwise_" + std::to_string(op % 3));
    };
    shared("embed_", embedding);
    for (int layer = 0; layer < 8; ++layer) shared("layer_", 42);
    shared("head_", head);
    return stream.mined();
  };
  for (const auto& [embedding, head] : {std::pair{96, 20}, {42, 42}, {96, 42}}) {
    const DeviceMined mined = blocks(embedding, head);
    REQUIRE(mined.iterations.size() == 8);
    CHECK(mined.iterations.front().first == static_cast<uint32_t>(embedding));
  }
}

TEST_CASE("A first iteration whose copies are of a few bytes is one of those whose sizes grow") {
  Stream stream;
  for (uint64_t bytes = 16; bytes <= 16 << 20; bytes *= 16) {
    stream.copy(CopyKind::host_to_device, 256 * bytes);
    stream.kernel("sum");
    stream.copy(CopyKind::device_to_host, bytes);
    stream.pause(400);
  }
  const DeviceMined mined = stream.mined();
  REQUIRE(mined.iterations.size() == 6);
  CHECK(mined.iterations.front().first == 0);
}
