// The targets of docs/mining.md on seeds that the miner was not tuned on.
#include <unistd.h>

#include <string>

#include "analysis/iterations/mine.h"
#include "test/support/baselines.h"
#include "test/support/bootstrap.h"
#include "test/support/catch.h"
#include "test/support/hard_cases.h"
#include "test/support/job.h"
#include "test/support/mined_invariants.h"
#include "test/support/score.h"
#include "test/support/truth.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

constexpr uint64_t kFirstSeed = 1000, kLastSeed = 1001;  // tuned on 1 to 20

double mean_f1(const Family& family, bool numbers) {
  double sum = 0;
  for (uint64_t seed = kFirstSeed; seed <= kLastSeed; ++seed) {
    LabelledTrace truth = family.draw(seed);
    if (numbers) hide_names(truth);
    const DeviceMined mined = mine(truth.trace).devices.at(0);
    CHECK(broken_invariant(truth.trace, mined) == "");
    sum += score(truth.trace, truth.step, mined).f1;
  }
  return sum / (kLastSeed - kFirstSeed + 1);
}

bool is_kineto(const std::string& name) {
  return access((corpus_folder() + "/traces/" + name + ".json.gz").c_str(), R_OK) == 0;
}

}  // namespace

TEST_CASE("every family of hard cases reaches its target") {
  for (const Family& family : families()) {
    CAPTURE(family.name);
    CHECK(mean_f1(family, false) >= family.target);
  }
}

TEST_CASE(
    "with names replaced by numbers the mean reaches its target, and negatives stay negative") {
  double sum = 0;
  for (const Family& family : families()) {
    CAPTURE(family.name);
    const double f1 = mean_f1(family, true);
    if (family.negative) CHECK(f1 == 1);
    sum += f1;
  }
  CHECK(sum / static_cast<double>(families().size()) >= 0.97);
}

TEST_CASE("recorded PyTorch traces reach their target, and negatives stay negative") {
  if (corpus_names().empty()) {
    WARN("no DEEPPROF_CORPUS: recorded traces are left out");
    return;
  }
  for (const std::string& name : corpus_names()) {
    if (!is_kineto(name)) continue;
    const LabelledTrace truth = read_corpus_truth(name);
    for (const DeviceMined& mined : mine(truth.trace).devices) {
      const Score s = score(truth.trace, truth.step, mined);
      CAPTURE(name, s.steps, s.found);
      CHECK(broken_invariant(truth.trace, mined) == "");
      if (s.steps >= 3 || s.steps <= 1) CHECK(s.f1 >= 0.99);
    }
  }
}
