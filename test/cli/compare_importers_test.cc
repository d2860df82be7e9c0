// One made-up job as three recorders write it - torch.profiler, Nsight Systems, our own - through
// `deepprof compare`, from the files on: each importer's clock, call names and form of kernel names
// are another's, and none of that is a difference of the job.
#include <array>

#include "test/cli/run_program.h"
#include "test/compare/foreign_files.h"
#include "test/compare/made_up_job.h"
#include "test/support/catch.h"
#include "test/trace/temporary_folder.h"
#include "test/trace/write_trace_file.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

class Recorders {
 public:
  static constexpr size_t kCount = 3;

  // The file of recorder `which`, on a GPU of its own name.
  std::string record(size_t which, JobPlan plan) {
    const std::string path = folder_ / ("run" + std::to_string(++files_));
    plan.mangled = which == 2;
    const Trace trace = MadeUpJob(plan).run();
    if (which == 0) return write_kineto(path + ".json", trace, "NVIDIA A100-SXM4-80GB");
    if (which == 1) return write_nsight(path + ".sqlite", trace, "NVIDIA H200");
    return write_trace_file(path + ".dprof", trace);
  }

 private:
  TemporaryFolder folder_;
  int files_ = 0;
};

// What the two differ in, as a program reads it: a line each of the kernels, then one of the calls.
std::string differences(const std::string& a, const std::string& b) {
  std::string text;
  for (const char* table : {"ops", "calls"}) {
    const ProgramResult result =
        run_deepprof({"compare", a, b, "--table", table, "--format", "csv", "--no-header"});
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    size_t from = 0;
    for (size_t end; (end = result.out.find('\n', from)) != std::string::npos; from = end + 1) {
      const std::string line = result.out.substr(from, end - from);
      if (!has(line + ",", ",same,")) text += line + "\n";
    }
  }
  return text;
}

JobPlan plan(uint64_t seed) {
  JobPlan plan;
  plan.seed = seed;
  return plan;
}

}  // namespace

TEST_CASE("one job does not differ from itself as other recorders write it") {
  Recorders recorders;
  for (size_t a = 0; a < Recorders::kCount; ++a) {
    for (size_t b = 0; b < Recorders::kCount; ++b) {
      if (a == b) continue;
      CAPTURE(a, b);
      const std::string one = recorders.record(a, plan(7)), other = recorders.record(b, plan(8));
      CHECK(differences(one, other).empty());
      const ProgramResult gate = run_deepprof({"compare", one, other, "--gate", "5"});
      CAPTURE(gate.out, gate.err);
      CHECK(gate.exit_code == 0);
    }
  }
}

TEST_CASE("what changed between two runs is named alone, whoever recorded which") {
  struct Change {
    const char* verdict;
    const char* name;
    JobPlan plan;
  };
  std::array<Change, 3> changes{Change{"slower", "flash_bwd", plan(9)},
                                Change{"removed", "softmax_loss", plan(9)},
                                Change{"added", "dropout_fwd", plan(9)}};
  changes[0].plan.slow = changes[0].name;
  changes[1].plan.removed = changes[1].name;
  changes[2].plan.added = changes[2].name;
  Recorders recorders;
  for (const Change& change : changes) {
    for (size_t a = 0; a < Recorders::kCount; ++a) {
      const size_t b = (a + 1) % Recorders::kCount;
      CAPTURE(change.verdict, a, b);
      const std::string found =
          differences(recorders.record(a, plan(7)), recorders.record(b, change.plan));
      CAPTURE(found);
      CHECK(lines(found) == 1);
      CHECK(has(found, change.verdict));
      CHECK(has(found, change.name));
    }
  }
}
