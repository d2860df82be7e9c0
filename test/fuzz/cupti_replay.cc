// Drives the fuzz target over a fixed series of mutations of buffers with every kind of record.
#include <algorithm>
#include <random>
#include <vector>

#include "test/cupti/record_buffer.h"
#include "test/fuzz/fuzz_target.h"

using namespace deepprof;
using namespace deepprof::cupti;

int main() {
  const Strides strides = test::strides_of_13_0();
  test::RecordBuffer buffer(strides);
  for (const ActivityKind kind :
       {ActivityKind::runtime, ActivityKind::concurrent_kernel, ActivityKind::memcpy,
        ActivityKind::memset, ActivityKind::memcpy2, ActivityKind::synchronization,
        ActivityKind::graph_trace, ActivityKind::overhead, ActivityKind::driver}) {
    // Small numbers everywhere: plausible times, devices and kinds of memory.
    buffer.add(kind);
    for (size_t at = 4; at + 4 <= strides[static_cast<uint32_t>(kind)]; at += 4) {
      buffer.put(Field<uint32_t>{at}, static_cast<uint32_t>(at % 8 == 0 ? 1 + at / 8 : 0));
    }
  }
  std::vector<uint8_t> good{0, 0, 0, 0};
  good.insert(good.end(), buffer.bytes().begin(), buffer.bytes().end());
  std::mt19937 random(1);
  LLVMFuzzerTestOneInput(good.data(), good.size());
  for (int i = 0; i < 100'000; ++i) {
    std::vector<uint8_t> bytes = good;
    for (int edits = 1 + static_cast<int>(random() % 6); edits > 0; --edits) {
      const size_t at = random() % bytes.size();
      switch (random() % 4) {
        case 0: bytes[at] = static_cast<uint8_t>(random()); break;
        case 1: bytes[random() % 4] = static_cast<uint8_t>(random()); break;
        case 2: bytes[at] = static_cast<uint8_t>(random() % 2 == 0 ? 0 : 0xff); break;
        default:
          bytes.resize(4 + at % (bytes.size() - 3));
          bytes.resize(std::max<size_t>(bytes.size(), 8));
          break;
      }
    }
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
}
