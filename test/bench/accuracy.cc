// Prints how well mine() finds known iterations: hard cases and recorded traces, beside two baselines.
//
//   bench_accuracy [corpus] [hard] [--seeds FROM-TO] [--family WORD] [--numbers] [--each]
//
// The miner was developed on seeds 1 to 20; seeds from 1000 on are the held-out ones.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "analysis/iterations/mine.h"
#include "test/support/hard_cases.h"
#include "test/support/job.h"
#include "test/support/score.h"
#include "test/support/truth.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

struct Arguments {
  bool corpus = false, hard = false, numbers = false, each = false;
  int first_seed = 1000, last_seed = 1004;
  std::string family;
};

void print_case(const LabelledTrace& truth, const Score& s, const DeviceMined& mined) {
  std::printf("%-30s steps %3d found %4d F1 %.3f phase %6.3f conf %.2f %-9s ops %6.0f  %s%s\n", truth.name.c_str(), s.steps,
              s.found, s.f1, s.phase, mined.confidence, verdict_name(mined.verdict), mined.ops_per_iteration,
              mined.decided_by.c_str(), mined.reason.c_str());
  if (std::getenv("TILES") != nullptr) {
    std::vector<uint32_t> position(truth.trace.ops.size());
    int last = -1, count = 0;
    std::printf("   true:");
    for (uint32_t at = 0; at < mined.order.size(); ++at) {
      const int step = truth.step[mined.order[at]];
      if (step != last && step >= 0 && count++ < 400) std::printf(" %u", at);
      if (step != last && step < 0) std::printf(" (%u)", at);
      last = step;
    }
    std::printf("\n   mined:");
    for (size_t i = 0; i < mined.iterations.size() && i < 400; ++i) {
      const Iteration& it = mined.iterations[i];
      std::printf(" %u%s%s", it.first, it.partial ? "p" : "", i + 1 == mined.iterations.size() || mined.iterations[i + 1].first != it.last ? ("-" + std::to_string(it.last)).c_str() : "");
    }
    std::printf("  of %zu\n", mined.order.size());
    return;
  }
  for (const Level& level : mined.levels) {
    std::printf("      level %8.1f ops x %5u  covers %.2f  %s\n", level.ops, level.count, level.coverage, level.about.c_str());
  }
}

void run_corpus(const Arguments& a) {
  for (const std::string& name : corpus_names()) {
    if (name.find(a.family) == std::string::npos) continue;
    LabelledTrace truth = read_corpus_truth(name);
    if (a.numbers) hide_names(truth);
    for (const DeviceMined& mined : mine(truth.trace).devices) print_case(truth, score(truth.trace, truth.step, mined), mined);
  }
}

void run_hard(const Arguments& a) {
  double total = 0;
  int count = 0;
  for (const Family& family : families()) {
    if (std::string(family.name).find(a.family) == std::string::npos) continue;
    double sum = 0, confidence = 0, errors = 0, phase = 0;
    int cases = 0;
    for (int seed = a.first_seed; seed <= a.last_seed; ++seed) {
      LabelledTrace truth = family.draw(static_cast<uint64_t>(seed));
      if (a.numbers) hide_names(truth);
      const Mined mined = mine(truth.trace);
      const Score s = score(truth.trace, truth.step, mined.devices.at(0));
      if (a.each) print_case(truth, s, mined.devices[0]);
      sum += s.f1, ++cases;
      confidence += mined.devices[0].confidence;
      errors += s.steps > 1 ? std::abs(s.found - s.steps) / static_cast<double>(s.steps) : s.found;
      phase += s.phase == kNoPhase ? 1 : s.phase > .5 ? 1 - s.phase : std::abs(s.phase);
    }
    std::printf("%-30s F1 %.3f %s count error %.3f phase %.3f confidence %.2f\n", family.name, sum / cases,
                sum / cases >= family.target ? "  " : "**", errors / cases, phase / cases, confidence / cases);
    total += sum / cases, ++count;
  }
  std::printf("mean F1 %.4f over %d families\n", total / count, count);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "corpus") a.corpus = true;
    else if (word == "hard") a.hard = true;
    else if (word == "--numbers") a.numbers = true;
    else if (word == "--each") a.each = true;
    else if (word == "--family" && i + 1 < argc) a.family = argv[++i];
    else if (word == "--seeds" && i + 1 < argc) std::sscanf(argv[++i], "%d-%d", &a.first_seed, &a.last_seed);
  }
  if (a.corpus) run_corpus(a);
  if (a.hard) run_hard(a);
}
