// Recorded traces through `deepprof compare`, from the files on: against themselves through two
// importers, with a planted change, one rank against another.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "analysis/import/load.h"
#include "analysis/iterations/mine.h"
#include "analysis/report/figures.h"
#include "test/cli/run_program.h"
#include "test/support/catch.h"
#include "test/support/truth.h"
#include "test/trace/temporary_folder.h"
#include "test/trace/write_trace_file.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

std::vector<std::string> recorded_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(corpus_folder() + "/traces"))
    files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

// What differs, as a program reads it: a line each.
std::string changes(const std::string& a, const std::string& b) {
  const ProgramResult result =
      run_deepprof({"compare", a, b, "--table", "changes", "--format", "csv", "--no-header"});
  INFO(result.err);
  CHECK(result.exit_code != 1);
  return result.out;
}

bool has_corpus() {
  if (corpus_folder().empty()) std::puts("no DEEPPROF_CORPUS: recorded traces are left out");
  return !corpus_folder().empty();
}

}  // namespace

TEST_CASE("a recorded trace does not differ from itself as another importer reads it") {
  if (!has_corpus()) return;
  const TemporaryFolder folder;
  int compared = 0;
  for (const std::string& file : recorded_files()) {
    CAPTURE(file);
    const std::string ours = folder / (std::to_string(compared) + ".dprof");
    REQUIRE(run_deepprof({"import", file, "-o", ours}).exit_code == 0);
    CHECK(changes(file, ours).empty());
    CHECK(run_deepprof({"compare", file, ours, "--gate", "5"}).exit_code != 3);
    ++compared;
  }
  std::printf("%d recorded files compared with their imports\n", compared);
  CHECK(compared >= 20);
}

TEST_CASE("a kernel that is slower in a recorded job is what its file differs in") {
  if (!has_corpus()) return;
  const TemporaryFolder folder;
  const std::string recorded = corpus_folder() + "/traces/kineto-resnet50-v100-w4.json.gz";
  auto trace = load_trace(recorded);
  REQUIRE(trace.ok());
  const Mined mined = mine(*trace);
  const Figures figures = compute_figures(*trace, mined);
  const NameId slow = figures.main().kernels.front().name;
  for (Op& op : trace->ops) {
    if (op.name == slow) op.duration_ns += op.duration_ns / 2;
  }
  const std::string changed = write_trace_file(folder / "changed.dprof", *trace);
  const std::string found = changes(recorded, changed);
  INFO(found);
  CHECK(has(found, "slower"));
  CHECK_FALSE(has(found, "added"));
  CHECK_FALSE(has(found, "removed"));
}

TEST_CASE("ranks of a recorded job are set beside each other by the command") {
  if (!has_corpus()) return;
  const std::string traces = corpus_folder() + "/traces/param-dlrm-r";
  const ProgramResult page = run_deepprof({"compare", traces + "0.json.gz", traces + "1.json.gz"});
  INFO(page.out << page.err);
  CHECK(page.exit_code == 0);
  CHECK(has(page.out, "whole run, one each: no significance can be said"));
}
