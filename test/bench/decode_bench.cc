// decode_bench: what one record costs the collector, from CUPTI's buffer into the ring, with every
// name verified. Run by hand.
#include <cstdio>
#include <string>
#include <vector>

#include "libdeepprof/capture/clock.h"
#include "libdeepprof/cupti/decoder.h"
#include "libdeepprof/ring/event_ring.h"
#include "test/cupti/record_buffer.h"

using namespace deepprof;
using cupti::ActivityKind;

namespace {

// The thread's own time, so that a busy machine does not show in the figure.
int64_t thread_ns() { return read_clock_ns(CLOCK_THREAD_CPUTIME_ID); }

constexpr size_t kBufferBytes = size_t{1} << 20;

struct Rig {
  cupti::Strides strides = test::strides_of_13_0();
  cupti::Api api;
  cupti::CallFilter filter;
  DefinitionLog log;
  LossCounters losses;
  NameInterner names{log, losses, 64 << 20};
  cupti::Decoder decoder{strides, api, filter, names, log, losses};
  EventRing ring{1 << 19};
};

// Kernel names of a training job are long: some 80 to 300 characters.
std::vector<std::string> kernel_names(size_t count) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) {
    names.push_back(
        "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
        "at::detail::Array<char*, " +
        std::to_string(i) + "> >(int, " + std::string(i % 200, 'x') + ")");
  }
  return names;
}

double ns_per_record(Rig& rig, std::vector<std::vector<uint8_t>>& buffers, int rounds) {
  uint64_t records = 0;
  int64_t spent_ns = 0;
  for (int round = 0; round < rounds; ++round) {
    for (std::vector<uint8_t>& buffer : buffers) {
      const int64_t began = thread_ns();
      records += rig.decoder.decode(
          buffer.data(), buffer.size(), [&] { return rig.ring.place(); },
          [&](const Event&, const Detail* detail) { rig.ring.push_built(detail != nullptr); });
      spent_ns += thread_ns() - began;
      rig.ring.drain(rig.ring.published(), [](const Event&, const Detail*) {});
    }
  }
  return static_cast<double>(spent_ns) / static_cast<double>(records);
}

double kernels(size_t distinct_names, size_t buffer_count) {
  Rig rig;
  const std::vector<std::string> names = kernel_names(distinct_names);
  std::vector<std::vector<uint8_t>> buffers;
  uint64_t time = 1'000'000, number = 0;
  for (size_t b = 0; b < buffer_count; ++b) {
    test::RecordBuffer buffer(rig.strides);
    while (buffer.bytes().size() + 216 <= kBufferBytes) {
      ++number;
      buffer.kernel(names[number * 7919 % names.size()].c_str(), time, time + 800,
                    static_cast<uint32_t>(number));
      time += 1'000;
    }
    buffers.push_back(buffer.bytes());
  }
  ns_per_record(rig, buffers, 1);  // learns the names
  return ns_per_record(rig, buffers, 40);
}

double calls() {
  Rig rig;
  test::RecordBuffer buffer(rig.strides);
  constexpr uint32_t kCalls[] = {211, 211, 211, 41, 131, 211};
  for (uint32_t i = 0; buffer.bytes().size() + 40 <= kBufferBytes; ++i) {
    buffer.add(ActivityKind::runtime)
        .put(cupti::ApiLayout::cbid, kCalls[i % 6])
        .put(cupti::ApiLayout::start, uint64_t{1000} + i)
        .put(cupti::ApiLayout::end, uint64_t{2000} + i)
        .put(cupti::ApiLayout::process, 1u)
        .put(cupti::ApiLayout::thread, 10 + i / 500 % 3)
        .put(cupti::ApiLayout::correlation, i);
  }
  std::vector<std::vector<uint8_t>> buffers{buffer.bytes()};
  return ns_per_record(rig, buffers, 200);
}

}  // namespace

int main() {
  std::printf("kernel record, 200 names, one hot buffer    %6.1f ns\n", kernels(200, 1));
  std::printf("kernel record, 200 names, 32 MiB of buffers %6.1f ns\n", kernels(200, 32));
  std::printf("kernel record, 3000 names, 32 MiB           %6.1f ns\n", kernels(3000, 32));
  std::printf("API record                                  %6.1f ns\n", calls());
}
