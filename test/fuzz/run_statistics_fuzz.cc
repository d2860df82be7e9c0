// Any bytes as stored run statistics: decoding neither crashes nor hangs, what it returns can be
// printed and encodes to something that decodes to the same.
#include <cstdio>
#include <cstdlib>

#include "analysis/online/run_statistics_blob.h"
#include "analysis/online/whole_run.h"
#include "test/fuzz/fuzz_target.h"

using namespace deepprof;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const auto run = decode_run_statistics(bytes);
  Page page(100, false);
  whole_run_part(Blobs{{run_statistics_key(0), bytes}}, page);
  if (!run) return 0;
  const auto again = decode_run_statistics(encode_run_statistics(run->statistics, {}));
  if (!again || !(again->statistics == run->statistics)) {
    std::fprintf(stderr, "broken: statistics do not survive being stored again\n");
    std::abort();
  }
  return 0;
}
