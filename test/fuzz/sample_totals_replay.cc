// Drives the fuzz target over a fixed series of mutations of real totals.
#include <random>
#include <string>

#include "libdeepprof/trace/sample_totals.h"
#include "test/fuzz/edit_bytes.h"
#include "test/fuzz/fuzz_target.h"

using namespace deepprof;

int main() {
  SampleTotals totals;
  for (int64_t tick = 0; tick < 50; ++tick) {
    for (const MetricInfo& info : metrics())
      totals.add(info.metric, tick % 3 ? 0 : UINT32_MAX, tick * 100'000'000, 7);
  }
  const std::string good = totals.encode();
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = good;
    for (int edits = static_cast<int>(random() % 4); edits > 0 && !bytes.empty(); --edits)
      test::edit_bytes(random, bytes);
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  }
}
