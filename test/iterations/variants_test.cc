// Recorded traces cut short, stripped of ids, calls, copies or names, rounded, joined and
// interrupted (test/support/variants.h), on a seed that the miner was not tuned on.
#include <string>

#include "analysis/iterations/mine.h"
#include "test/support/catch.h"
#include "test/support/edit.h"
#include "test/support/mined_invariants.h"
#include "test/support/recorded.h"
#include "test/support/score.h"
#include "test/support/variants.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

constexpr uint64_t kSeed = 1000;

struct Recordings {
  std::vector<LabelledTrace> with, without;  // three marked steps or more; one at most
};

const Recordings& recordings() {
  static const Recordings all = [] {
    Recordings result;
    for (const std::string& name : corpus_names()) {
      LabelledTrace recorded = read_recorded(name);
      const size_t steps = step_ranges(recorded, launched(recorded)).size();
      if (steps >= 3) result.with.push_back(std::move(recorded));
      else if (steps < 2) result.without.push_back(std::move(recorded));
    }
    if (result.with.empty()) WARN("no DEEPPROF_CORPUS: recorded traces are left out");
    return result;
  }();
  return all;
}

struct Sum {
  double f1 = 0;
  int answers = 0;
  double mean() const { return answers > 0 ? f1 / answers : 1; }
};

void add(const Variant& variant, const LabelledTrace& recorded, const LabelledTrace& other,
         Sum& sum) {
  Random random(kSeed);
  for (const LabelledTrace& made : variant.make(recorded, other, random)) {
    for (const DeviceMined& mined : mine(made.trace).devices) {
      CAPTURE(made.name, mined.device);
      CHECK(broken_invariant(made.trace, mined) == "");
      sum.f1 += score(made.trace, made.step, mined).f1;
      ++sum.answers;
    }
  }
}

bool is_few_steps(const std::string& name) { return name.ends_with(" steps"); }

}  // namespace

TEST_CASE("a recording of a few whole steps is found whole, and every variant mostly") {
  const std::vector<LabelledTrace>& with = recordings().with;
  Sum all;
  for (const Variant& variant : variants()) {
    Sum sum;
    for (size_t i = 0; i < with.size(); ++i)
      add(variant, with[i], with[(i + 1) % with.size()], sum);
    CAPTURE(variant.name);
    CHECK(sum.mean() >= (is_few_steps(variant.name) ? 0.99 : 0.75));
    all.f1 += sum.mean();
    ++all.answers;
  }
  CHECK(all.mean() >= 0.95);
}

TEST_CASE("a recording without iterations has none, whatever was cut or taken away") {
  for (const Variant& variant : variants()) {
    // What these leave of a window into a longer iteration looks like iterations (docs/mining.md,
    // limits).
    const std::string name = variant.name;
    if (!variant.for_negatives || name == "names are numbers" || name == "5 % of the ops lost")
      continue;
    Sum sum;
    for (const LabelledTrace& recorded : recordings().without)
      add(variant, recorded, recorded, sum);
    CAPTURE(name);
    CHECK(sum.mean() == 1);
  }
}
