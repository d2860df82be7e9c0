// Any bytes as stored totals of samples: decoding neither crashes nor hangs, what it returns can be
// printed and encodes to something that decodes to the same.
#include <cstdio>
#include <cstdlib>

#include "analysis/report/summary_device.h"
#include "libdeepprof/trace/sample_totals.h"
#include "test/fuzz/fuzz_target.h"

using namespace deepprof;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  Page page(100, false);
  run_totals_part({{std::string(SampleTotals::kBlobKey), bytes}}, page);
  const auto totals = SampleTotals::decode(bytes);
  if (!totals) return 0;
  const auto again = SampleTotals::decode(totals->encode());
  if (!again || again->series() != totals->series()) {
    std::fprintf(stderr, "broken: totals do not survive being stored again\n");
    std::abort();
  }
  return 0;
}
