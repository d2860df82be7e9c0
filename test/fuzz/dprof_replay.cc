// Runs the .dprof fuzz target without libFuzzer: over the files named on the command line, or over
// a fixed series of mutations of files that the writer made. The series is the same on every run
// and machine.
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "analysis/model/dprof.h"
#include "test/fuzz/fuzz_target.h"
#include "test/trace/random_trace.h"
#include "test/trace/temporary_folder.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

// DEEPPROF_FUZZ_MUTATIONS asks for more: each goes through the reader, one in eight as far as the
// page, which under a sanitizer takes most of the time.
int mutations() {
  const char* asked = std::getenv("DEEPPROF_FUZZ_MUTATIONS");
  return asked != nullptr ? std::atoi(asked) : 8'000;
}

Bytes seed_file(uint64_t seed) {
  const TemporaryFolder folder;
  auto writer = TraceWriter::create({folder / "seed.dprof", 0});
  for (uint64_t part = 0; part < 2; ++part) {
    write_trace(RandomTrace(seed).make(40 + seed * 30, seed % 2 == 1), *writer.value());
    writer.value()->put_blob("statistics", "0123456789");
    writer.value()->flush();
  }
  writer.value()->finish();
  Bytes bytes = read_file(folder / "seed.dprof");
  bytes.insert(bytes.begin(), 0);  // the target's choice
  return bytes;
}

class Mutator {
 public:
  void mutate(Bytes& bytes) {
    bytes[0] = static_cast<uint8_t>(random_());
    for (uint64_t edits = 1 + random_() % 5; edits > 0 && !bytes.empty(); --edits) edit(bytes);
  }

 private:
  void edit(Bytes& bytes) {
    const size_t at = 1 + random_() % bytes.size();
    const size_t length =
        std::min<size_t>(random_() % 64, bytes.size() - std::min(at, bytes.size()));
    const auto from = bytes.begin() + static_cast<ptrdiff_t>(std::min(at, bytes.size()));
    switch (random_() % 6) {
      case 0: bytes.erase(from, from + static_cast<ptrdiff_t>(length)); break;
      case 1: bytes.insert(from, length, static_cast<uint8_t>(random_())); break;
      case 2: bytes.resize(1 + random_() % bytes.size()); break;
      case 3: std::fill_n(from, length, static_cast<uint8_t>(random_() % 2 == 0 ? 0 : 0xff)); break;
      default:
        if (at < bytes.size()) bytes[at] ^= static_cast<uint8_t>(1u << random_() % 8);
        break;
    }
  }
  std::mt19937_64 random_{20};
};

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) {
    for (int i = 1; i < argc; ++i) {
      const Bytes bytes = read_file(argv[i]);
      LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
    std::printf("%d files\n", argc - 1);
    return 0;
  }
  Mutator mutator;
  std::vector<Bytes> seeds;
  for (uint64_t seed = 0; seed < 4; ++seed) seeds.push_back(seed_file(seed));
  const int count = mutations();
  for (int i = 0; i < count; ++i) {
    Bytes bytes = seeds[static_cast<size_t>(i) % seeds.size()];
    mutator.mutate(bytes);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  std::printf("%d mutations\n", count);
}
