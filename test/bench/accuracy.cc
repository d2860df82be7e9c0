// Prints how well mine() finds known iterations: recorded traces, hard cases and jobs bootstrapped
// from recorded steps, each beside two baselines, and how far its confidence can be trusted.
//
//   bench_accuracy [corpus] [hard] [bootstrap] [variants] [--seeds FROM-TO] [--family WORD]
//   [--variant WORD]
//                  [--numbers] [--each | --wrong] [--tiles] [--no-baselines]
//
// The miner was tuned on seeds 1 to 20; 1000 and up are held out (the default: 1000-1004).
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "analysis/iterations/mine.h"
#include "test/support/baselines.h"
#include "test/support/bootstrap.h"
#include "test/support/edit.h"
#include "test/support/hard_cases.h"
#include "test/support/job.h"
#include "test/support/recorded.h"
#include "test/support/score.h"
#include "test/support/truth.h"
#include "test/support/variants.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

struct Arguments {
  bool corpus = false, hard = false, bootstrap = false, variants = false, numbers = false,
       each = false, wrong = false, tiles = false, baselines = true;
  int first_seed = 1000, last_seed = 1004;
  std::string family, variant;
};

// An answer with its confidence, for the calibration table.
struct Answer {
  double confidence;
  bool right;
  size_t iterations;
};

struct Row {
  double f1 = 0, count_error = 0, phase = 0, confidence = 0, equal_lag = 0, distance = 0;
  int cases = 0, phases = 0;
};

constexpr double kRight = 0.95;  // F1 of an answer that counts as right

void print_tiles(const LabelledTrace& truth, const DeviceMined& mined) {
  std::printf("    true: ");
  int last = -1;
  for (uint32_t at = 0; at < mined.order.size(); ++at) {
    const int step = truth.step[mined.order[at]];
    if (step != last) std::printf(step < 0 ? " (%u)" : " %u", at);
    last = step;
  }
  std::printf("\n    mined:");
  for (size_t i = 0; i < mined.iterations.size(); ++i) {
    const Iteration& iteration = mined.iterations[i];
    const bool joins =
        i + 1 < mined.iterations.size() && mined.iterations[i + 1].first == iteration.last;
    std::printf(" %u%s", iteration.first, iteration.partial ? "p" : "");
    if (!joins) std::printf("-%u", iteration.last);
  }
  std::printf("  of %zu\n", mined.order.size());
}

void print_case(const Arguments& a, const LabelledTrace& truth, const Score& s,
                const DeviceMined& mined) {
  std::printf(
      "  %-28s steps %3d found %3d F1 %.3f phase %6.3f confidence %.2f %s, %.0f ops: %s%s\n",
      truth.name.c_str(), s.steps, s.found, s.f1, s.phase == kNoPhase ? 1 : s.phase,
      mined.confidence, verdict_name(mined.verdict), mined.ops_per_iteration,
      mined.decided_by.c_str(), mined.reason.c_str());
  for (const Level& level : mined.levels) {
    if (!a.tiles)
      std::printf("      %8.1f ops x %5u  covers %.2f  %s\n", level.ops, level.count,
                  level.coverage, level.about.c_str());
  }
  if (a.tiles) print_tiles(truth, mined);
}

void take(const Arguments& a, LabelledTrace truth, Row& row, std::vector<Answer>& answers) {
  if (a.numbers) hide_names(truth);
  for (const DeviceMined& mined : mine(truth.trace).devices) {
    const Score s = score(truth.trace, truth.step, mined);
    if (a.each || (a.wrong && s.f1 < .99)) print_case(a, truth, s, mined);
    ++row.cases;
    row.f1 += s.f1;
    row.confidence += mined.confidence;
    row.count_error +=
        s.steps > 1 ? std::abs(s.found - s.steps) / static_cast<double>(s.steps) : s.found;
    if (s.phase != kNoPhase) {
      ++row.phases;
      const double phase = std::abs(s.phase);
      row.phase += phase > .5 ? 1 - phase : phase;
    }
    if (mined.verdict == Verdict::iteration)
      answers.push_back({mined.confidence, s.f1 >= kRight, mined.iterations.size()});
    if (!a.baselines) continue;
    row.equal_lag +=
        score_cuts(truth.trace, mined.device, truth.step, equal_lag_cuts(truth.trace, mined.device))
            .f1;
    row.distance +=
        score_cuts(truth.trace, mined.device, truth.step, distance_cuts(truth.trace, mined.device))
            .f1;
  }
}

void print_head(const char* what) {
  std::printf("\n%-34s %6s %7s %7s %6s %6s   %9s %9s\n", what, "F1", "target", "count", "phase",
              "conf.", "equal lag", "distance");
}

void print_row(const std::string& name, const Row& row, double target) {
  const double n = row.cases;
  const bool below =
      row.f1 / n<target, beaten = row.equal_lag> row.f1 + 1e-9 || row.distance > row.f1 + 1e-9;
  std::printf("%-34s %6.3f %7.2f %7.3f %6.3f %6.2f   %9.3f %9.3f%s%s\n", name.c_str(), row.f1 / n,
              target, row.count_error / n, row.phases > 0 ? row.phase / row.phases : 0,
              row.confidence / n, row.equal_lag / n, row.distance / n,
              below ? "  below target" : "", beaten ? "  baseline better" : "");
}

void run_corpus(const Arguments& a, std::vector<Answer>& answers) {
  print_head("recorded");
  Row all;
  for (const std::string& name : corpus_names()) {
    if (name.find(a.family) == std::string::npos) continue;
    Row row;
    take(a, read_recorded(name), row, answers);
    print_row(name, row, .99);
    all.f1 += row.f1 / row.cases, all.equal_lag += row.equal_lag / row.cases,
        all.distance += row.distance / row.cases, ++all.cases;
  }
  if (all.cases > 0) print_row("mean", all, .99);
}

void run_bootstrap(const Arguments& a, std::vector<Answer>& answers) {
  for (const double noise : {0.0, 0.01}) {
    print_head(noise > 0 ? "recorded steps, 1 % noise" : "recorded steps");
    Row all;
    for (const std::string& name : corpus_names()) {
      if (name.find(a.family) == std::string::npos) continue;
      const LabelledTrace recorded = read_recorded(name);
      Row row;
      for (int seed = a.first_seed; seed <= a.last_seed; ++seed) {
        LabelledTrace made = bootstrap(recorded, static_cast<uint64_t>(seed), noise);
        if (!made.trace.ops.empty()) take(a, std::move(made), row, answers);
      }
      if (row.cases == 0) continue;
      print_row(name, row, .97);
      all.f1 += row.f1 / row.cases, all.equal_lag += row.equal_lag / row.cases,
          all.distance += row.distance / row.cases, ++all.cases;
    }
    if (all.cases > 0) print_row("mean", all, .97);
  }
}

// Recordings with three or more steps, joined with the next of them, and those without iterations.
void run_variants(const Arguments& a, std::vector<Answer>& answers) {
  std::vector<LabelledTrace> with, without;
  for (const std::string& name : corpus_names()) {
    LabelledTrace recorded = read_recorded(name);
    const size_t steps = step_ranges(recorded, launched(recorded)).size();
    if (steps >= 3) with.push_back(std::move(recorded));
    else if (steps < 2) without.push_back(std::move(recorded));
  }
  print_head("variants of recordings");
  Row all;
  for (const Variant& variant : variants()) {
    if (std::string(variant.name).find(a.variant) == std::string::npos) continue;
    Row row;
    if (a.each || a.wrong) std::printf("%s\n", variant.name);
    const auto take_all = [&](const LabelledTrace& recorded, const LabelledTrace& other) {
      if (recorded.name.find(a.family) == std::string::npos) return;
      for (int seed = a.first_seed; seed <= a.last_seed; ++seed) {
        Random random(static_cast<uint64_t>(seed));
        for (LabelledTrace& made : variant.make(recorded, other, random))
          take(a, std::move(made), row, answers);
      }
    };
    for (size_t i = 0; i < with.size(); ++i) take_all(with[i], with[(i + 1) % with.size()]);
    for (const LabelledTrace& recorded : without) {
      if (variant.for_negatives) take_all(recorded, recorded);
    }
    if (row.cases == 0) continue;
    print_row(variant.name, row, .99);
    all.f1 += row.f1 / row.cases, all.equal_lag += row.equal_lag / row.cases,
        all.distance += row.distance / row.cases, ++all.cases;
  }
  if (all.cases > 0) print_row("mean", all, .99);
}

void run_hard(const Arguments& a, std::vector<Answer>& answers) {
  print_head(a.numbers ? "hard cases, names are numbers" : "hard cases");
  Row all;
  for (const Family& family : families()) {
    if (std::string(family.name).find(a.family) == std::string::npos) continue;
    Row row;
    for (int seed = a.first_seed; seed <= a.last_seed; ++seed)
      take(a, family.draw(static_cast<uint64_t>(seed)), row, answers);
    print_row(family.name, row, family.target);
    all.f1 += row.f1 / row.cases, all.equal_lag += row.equal_lag / row.cases,
        all.distance += row.distance / row.cases, ++all.cases;
  }
  if (all.cases > 0) print_row("mean", all, a.numbers ? .97 : .99);
}

void print_calibration(const std::vector<Answer>& answers) {
  constexpr double kEdges[] = {0, .5, .7, .9, 1.01};
  std::printf("\nconfidence of answers \"iteration\" (right: F1 >= %.2f)\n", kRight);
  for (size_t i = 0; i + 1 < std::size(kEdges); ++i) {
    int count = 0, right = 0;
    for (const Answer& answer : answers) {
      if (answer.confidence < kEdges[i] || answer.confidence >= kEdges[i + 1]) continue;
      ++count;
      right += answer.right;
    }
    std::printf("  %.1f to %.1f   %5d answers, %5d right, %.4f\n", kEdges[i],
                kEdges[i + 1] > 1 ? 1 : kEdges[i + 1], count, right,
                count > 0 ? static_cast<double>(right) / count : 0);
  }
  int right = 0, sure = 0;
  for (const Answer& answer : answers) {
    if (!answer.right || answer.iterations < 5) continue;
    ++right;
    sure += answer.confidence >= .9;
  }
  std::printf("  %d of %d right answers with five or more iterations reach .9\n", sure, right);
}

}  // namespace

int main(int argc, char** argv) {
  Arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "corpus") a.corpus = true;
    else if (word == "hard") a.hard = true;
    else if (word == "bootstrap") a.bootstrap = true;
    else if (word == "variants") a.variants = true;
    else if (word == "--variant" && i + 1 < argc) a.variant = argv[++i];
    else if (word == "--numbers") a.numbers = true;
    else if (word == "--each") a.each = true;
    else if (word == "--wrong") a.wrong = true;
    else if (word == "--tiles") a.tiles = true;
    else if (word == "--no-baselines") a.baselines = false;
    else if (word == "--family" && i + 1 < argc) a.family = argv[++i];
    else if (word == "--seeds" && i + 1 < argc)
      std::sscanf(argv[++i], "%d-%d", &a.first_seed, &a.last_seed);
    else return std::fprintf(stderr, "bench_accuracy: no argument %s\n", word.c_str()), 1;
  }
  if (!a.corpus && !a.hard && !a.bootstrap && !a.variants)
    a.corpus = a.hard = a.bootstrap = a.variants = true;
  std::vector<Answer> answers;
  if (a.corpus) run_corpus(a, answers);
  if (a.hard) run_hard(a, answers);
  if (a.bootstrap) run_bootstrap(a, answers);
  if (a.variants) run_variants(a, answers);
  print_calibration(answers);
}
