// Drives the fuzz target over a fixed series of mutations of sensible environments.
#include <random>
#include <string>

#include "test/fuzz/fuzz_target.h"

int main() {
  const std::string seeds[] = {
      "DEEPPROF_OUTPUT=/data/%h.%p.%r\nDEEPPROF_REPORT=stderr\nRANK=3\nWORLD_SIZE=8",
      "DEEPPROF_MAX_MEMORY=512M\nDEEPPROF_MAX_FILE=2G\nDEEPPROF_FLUSH_MS=50\nDEEPPROF_REARM_S=30",
      "DEEPPROF_DELAY=1.5\nDEEPPROF_DURATION=10m\nDEEPPROF_API=all\nDEEPPROF_GRAPH=graph\nDEEPPROF_"
      "RANKS=0,3",
      "DEEPPROF_KINDS=kernel,memcpy\nDEEPPROF_TAG_MODEL=x\nDEEPPROF_BATCH=64\nDEEPPROF_FORMAT="
      "json\nSLURM_PROCID=1",
      "DEEPPROF_SAMPLE_MS=50\nDEEPPROF_STEP_HOOK=1\nDEEPPROF_CPU=71:2:/t.dprof\nDEEPPROF_CUPTI=/c."
      "so\nDEEPPROF_CATEGORIES=/rules\nPMI_RANK=2\nPMI_SIZE=4",
      "DEEPPROF_METRICS_FILE=m\nDEEPPROF_LOG=stderr\nDEEPPROF_MEMORY=1\nDEEPPROF_DISABLE="
      "0\nDEEPPROF_=\nDEEPPROF_TAG_"
      "=",
  };
  std::mt19937 random(1);
  const auto run = [](const std::string& bytes) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  };
  for (int i = 0; i < 200'000; ++i) {
    std::string bytes = seeds[random() % std::size(seeds)];
    for (int edits = static_cast<int>(random() % 4); edits > 0 && !bytes.empty(); --edits) {
      const size_t at = random() % bytes.size();
      switch (random() % 5) {
        case 0: bytes[at] = static_cast<char>(random()); break;
        case 1: bytes.insert(at, 1 + random() % 40, static_cast<char>('0' + random() % 10)); break;
        case 2: bytes.insert(at, 1, "=,.%\n-MGshm"[random() % 11]); break;
        case 3: bytes += "\n" + bytes.substr(at, random() % 50); break;
        default: bytes.erase(at, 1 + random() % 8);
      }
    }
    run(bytes);
  }
}
