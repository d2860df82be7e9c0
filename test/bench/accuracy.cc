// Prints how well mine() finds known iterations.
//
//   DEEPPROF_CORPUS=FOLDER bench_accuracy [corpus]
#include <cstdio>
#include <cstring>

#include "analysis/iterations/mine.h"
#include "test/support/score.h"
#include "test/support/truth.h"

using namespace deepprof;
using namespace deepprof::test;

int main(int, char**) {
  for (const std::string& name : corpus_names()) {
    const LabelledTrace truth = read_corpus_truth(name);
    for (const DeviceMined& mined : mine(truth.trace).devices) {
      const Score s = score(truth.trace, truth.step, mined);
      std::printf("%-32s steps %3d found %4d F1 %.3f phase %6.3f conf %.2f %-9s ops %6.0f  %s%s\n", name.c_str(), s.steps,
                  s.found, s.f1, s.phase, mined.confidence, verdict_name(mined.verdict), mined.ops_per_iteration,
                  mined.decided_by.c_str(), mined.reason.c_str());
    }
  }
}
