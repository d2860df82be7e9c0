// Recorded training jobs as they would be if the job had been killed: each launching thread lacks
// its last ops, one more of them than the other.
#include <algorithm>
#include <map>
#include <random>

#include "analysis/import/load.h"
#include "analysis/iterations/mine.h"
#include "analysis/model/tail.h"
#include "test/import/truth.h"
#include "test/support/catch.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

void kill(std::mt19937& random, Trace& trace) {
  constexpr size_t kMostLost = 2500;
  trace.ops.resize(trace.ops.size() * (70 + random() % 30) / 100);
  std::map<uint32_t, size_t> lost;  // by thread
  for (const Op& op : trace.ops)
    if (op.launch != kNone) ++lost[trace.calls[op.launch].thread];
  for (auto& [thread, ops] : lost) ops = random() % std::min(kMostLost, ops / 5 + 1);
  std::vector<Op> kept;
  for (auto op = trace.ops.rbegin(); op != trace.ops.rend(); ++op) {
    size_t* left = op->launch == kNone ? nullptr : &lost[trace.calls[op->launch].thread];
    if (left != nullptr && *left > 0) --*left;
    else kept.push_back(*op);
  }
  trace.ops.assign(kept.rbegin(), kept.rend());
  trace.closed = false;
  trace.process.source = "deepprof 1";
  trace.finish();
}

bool any_evaluation(const Trace& trace) {
  for (const DeviceMined& device : mine(trace).devices) {
    for (const Section& section : device.sections)
      if (section.kind == SectionKind::evaluation) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("of training jobs that were killed no end is taken for an evaluation") {
  const std::string folder = corpus_folder();
  if (folder.empty()) return;
  int kills = 0, as_recorded = 0, without_tail = 0;
  for (const char* name : {"hta-dlrm-a100", "hta-resnet-ddp-a100", "kineto-resnet50-v100-w4",
                           "param-resnet-2080ti", "param-linear-2080ti"}) {
    for (uint32_t seed = 1; seed <= 3; ++seed, ++kills) {
      auto trace = load_trace(folder + "/traces/" + name + ".json.gz");
      REQUIRE(trace.ok());
      std::mt19937 random(seed);
      kill(random, *trace);
      as_recorded += any_evaluation(*trace);
      find_tails(*trace);
      without_tail += any_evaluation(*trace);
    }
  }
  CHECK(kills == 15);
  CHECK(as_recorded > 0);
  CHECK(without_tail == 0);
}
