// Drives the fuzz target over a fixed series of mutations of real statistics.
#include <random>
#include <string>

#include "analysis/online/online_miner.h"
#include "analysis/online/run_statistics_blob.h"
#include "test/fuzz/edit_bytes.h"
#include "test/fuzz/fuzz_target.h"
#include "test/online/job.h"

using namespace deepprof;

namespace {

std::string real_statistics() {
  test::Job job(1, .02);
  job.run(test::training_step(1), 500);
  job.run_other(200);
  OnlineMiner miner(0, [&](std::span<const Event> ops) {
    MinedStretch found{Verdict::iteration, .9, "the truth", {}};
    for (size_t i = 0; i + 1 < job.begins.size() && job.begins[i + 1] <= ops.size(); ++i)
      found.tiles.push_back(
          {static_cast<uint32_t>(job.begins[i]), static_cast<uint32_t>(job.begins[i + 1])});
    return found;
  });
  miner.add(job.events);
  miner.finish();
  return encode_run_statistics(miner.statistics(), {"", "gemm", "relu"});
}

}  // namespace

int main() {
  const std::string good = real_statistics();
  std::mt19937 random(1);
  const auto run = [](const std::string& bytes) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  };
  run(good);
  for (int i = 0; i < 3'000; ++i) {
    std::string bytes = good;
    for (int edits = 1 + static_cast<int>(random() % 4); edits > 0 && !bytes.empty(); --edits)
      test::edit_bytes(random, bytes);
    run(bytes);
  }
}
