#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "analysis/cli/checks.h"
#include "analysis/model/dprof.h"
#include "analysis/model/facts.h"
#include "test/cli/run_program.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"
#include "test/trace/random_trace.h"
#include "test/trace/temporary_folder.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

Check find(const std::vector<Check>& checks, const std::string& name) {
  const auto found =
      std::find_if(checks.begin(), checks.end(), [&](const Check& c) { return c.name == name; });
  REQUIRE(found != checks.end());
  return *found;
}

std::string write_file(const std::string& path, const Trace& trace) {
  auto writer = TraceWriter::create({path, 0});
  REQUIRE(writer.ok());
  write_trace(trace, *writer.value());
  writer.value()->put_blob("statistics", "kept");
  writer.value()->finish();
  return path;
}

Trace sound_trace() {
  TraceBuilder t;
  for (int i = 0; i < 50; ++i)
    t.launch("cudaLaunchKernel", 10 * i, 10 * i + 2).kernel("k", 10 * i + 4, 10 * i + 9);
  return t.build();
}

// Cuts the last 40 bytes off, which is within the closing chunk.
void cut(const std::string& path) {
  Bytes bytes = read_file(path);
  bytes.erase(bytes.end() - 40, bytes.end());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

TEST_CASE("a trace of which a hundredth was not understood, or has no usable times, fails") {
  for (const Loss loss : {Loss::bad_timestamp, Loss::import_skipped}) {
    Trace trace = sound_trace();
    trace.losses[loss] = 1;
    CHECK_FALSE(any_failed(check_trace(trace, {})));
    trace.losses[loss] = 2;
    CHECK(any_failed(check_trace(trace, {})));
  }
}

TEST_CASE("a trace of copies and of launches of kernels, but of no kernel, fails") {
  for (const char* call : {"cudaLaunchKernel", "cudaMemcpyAsync"}) {
    TraceBuilder t;
    t.launch("cudaMemcpyAsync", 0, 2).copy(CopyKind::host_to_device, 4, 9).call(call, 10, 12);
    const bool launches = std::string(call) == "cudaLaunchKernel";
    CHECK(any_failed(check_trace(t.build(), {})) == launches);
  }
}

TEST_CASE("a trace whose clocks are apart fails, moved or not") {
  for (const char* fact : {kClockMoved, kClockUnusable}) {
    Trace trace = sound_trace();
    trace.process.facts.emplace_back(fact, "-414267000000000");
    const std::vector<Check> checks = check_trace(trace, {});
    CHECK(find(checks, "clock").result == CheckResult::failed);
  }
}

TEST_CASE("a sound trace passes every check") {
  const std::vector<Check> checks = check_trace(sound_trace(), {});
  CHECK_FALSE(any_failed(checks));
  for (const Check& check : checks) {
    CAPTURE(check.name);
    CHECK(check.result == CheckResult::passed);
    CHECK(check.count == 0);
  }
}

TEST_CASE("an op that starts before its launch fails") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 100, 110).kernel("k", 50, 60);
  const Check check = find(check_trace(t.build(), {}), "launch before op");
  CHECK(check.result == CheckResult::failed);
  CHECK(check.count == 1);
  CHECK(check.finding.find("50000 ns") != std::string::npos);
}

TEST_CASE("overlap on a stream, missing launches and zero lengths are noted") {
  TraceBuilder t;
  t.kernel("a", 10, 30).kernel("b", 25, 40).kernel("c", 50, 50);
  t.stream(9).kernel("other stream", 26, 40);
  t.stream(8).graph_node(1).kernel("node", 10, 30).graph_node(2).kernel("node", 20, 30);
  const std::vector<Check> checks = check_trace(t.build(), {});
  CHECK(find(checks, "streams in order").count == 1);
  CHECK(find(checks, "launch records").count == 6);
  CHECK(find(checks, "lengths").count == 1);
  CHECK_FALSE(any_failed(checks));
}

TEST_CASE("losses appear under their names, those that spoil figures as failures") {
  Trace trace = sound_trace();
  trace.losses[Loss::ring_full] = 7;
  trace.losses[Loss::segment_evicted] = 9;
  const std::vector<Check> checks = check_trace(trace, {});
  CHECK(find(checks, "ring_full").result == CheckResult::failed);
  CHECK(find(checks, "segment_evicted").result == CheckResult::noted);
}

TEST_CASE(
    "what the clock of the records gains on the machine's is told, and noted where it is much") {
  Trace trace = sound_trace();
  const auto residual = [&](const char* last) {
    trace.process.facts = {{"clock_first", "1000 500 1010"}, {"clock_last", last}};
    return find(check_trace(trace, {}), "clock residual");
  };
  Check check = residual("10000001200 10000000500 10000001050");
  CHECK(check.result == CheckResult::passed);
  CHECK(check.count == 40);
  CHECK(check.finding.find("after 10.0 s") != std::string::npos);
  check = residual("10000001200 10000000500 9995001010");
  CHECK(check.result == CheckResult::noted);
  CHECK(check.count == 5'000'000);
  CHECK(residual("9 9 0").count == 0);  // the records' clock could not be read
  CHECK(residual("9223372036854775807 -9223372036854775807 9223372036854775807").count == 0);
  CHECK(residual("damaged").result == CheckResult::passed);
  residual("10000001200 10000000500 9995001010");
  trace.process.facts.emplace_back("clock_steps", "1");
  CHECK(find(check_trace(trace, {}), "clock residual").result == CheckResult::passed);
}

TEST_CASE("check tells a whole file from a cut one by its exit code") {
  const TemporaryFolder folder;
  const std::string path = write_file(folder / "t.dprof", sound_trace());
  const ProgramResult whole = run_deepprof({"check", path});
  CHECK(whole.exit_code == 0);
  CHECK(whole.out.find("FAILED") == std::string::npos);
  cut(path);
  const ProgramResult damaged = run_deepprof({"check", path});
  CHECK(damaged.exit_code == 3);
  CHECK(damaged.out.find("FAILED") != std::string::npos);
}

TEST_CASE("recover writes what is left as a clean file and says what is not") {
  const TemporaryFolder folder;
  const std::string path = write_file(folder / "t.dprof", sound_trace());
  cut(path);
  const ProgramResult result = run_deepprof({"recover", path, "-o", folder / "clean.dprof"});
  CHECK(result.exit_code == 0);
  CHECK(result.err.find("recovered 50 GPU ops and 50 calls") != std::string::npos);
  CHECK(result.err.find("mid-chunk") != std::string::npos);

  const auto clean = read_dprof(folder / "clean.dprof");
  REQUIRE(clean.ok());
  CHECK(clean.value().complete);
  CHECK(clean.value().trace.ops.size() == 50);
  CHECK(clean.value().trace.blobs.at("statistics") == "kept");
  // The loss itself is not forgotten: a note for check, and the report's figures are incomplete.
  CHECK(clean.value().trace.losses[Loss::file_damaged] == 1);
  const ProgramResult check = run_deepprof({"check", folder / "clean.dprof"});
  CHECK(check.exit_code == 0);
  CHECK(check.out.find("recovered from " + path) != std::string::npos);
  const ProgramResult report = run_deepprof({"report", folder / "clean.dprof"});
  CHECK(report.out.find("of a recording that was NOT CLOSED") != std::string::npos);
  CHECK(report.out.find("1 chunk") != std::string::npos);
}

TEST_CASE("recover refuses what is no .dprof, and never overwrites") {
  const TemporaryFolder folder;
  std::ofstream(folder / "x.json") << "{}";
  const ProgramResult foreign =
      run_deepprof({"recover", folder / "x.json", "-o", folder / "y.dprof"});
  CHECK(foreign.exit_code == 1);
  CHECK(foreign.err.find("signature") != std::string::npos);
  const std::string path = write_file(folder / "t.dprof", sound_trace());
  CHECK(run_deepprof({"recover", path, "-o", path}).exit_code == 1);
}
