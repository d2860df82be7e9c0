// Several files of one job, as a user hands them over: made ones, and those of the corpus.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "analysis/model/dprof.h"
#include "libdeepprof/event/metric.h"
#include "libdeepprof/trace/writer.h"
#include "test/cli/run_program.h"
#include "test/import/temporary_file.h"
#include "test/support/catch.h"
#include "test/support/one_line.h"
#include "test/support/trace_builder.h"
#include "test/trace/temporary_folder.h"
#include "test/trace/write_trace_file.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

using Words = std::vector<std::string>;

// A rank of a job of twelve steps: a kernel, then an all-reduce that begins `late_us` into the step
// and ends on all ranks at 700 us. The file's clock is off by `clock_us`.
std::string rank_trace(int rank, long late_us, long clock_us) {
  std::ostringstream text;
  text << R"({"schemaVersion":1,"distributedInfo":{"rank":)" << rank
       << R"(,"world_size":2},"traceEvents":[)";
  long id = 0;
  const auto op = [&](const char* name, int stream, long start, long end) {
    ++id;
    text << (id > 1 ? "," : "")
         << R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":)"
         << start - 10 << R"(,"dur":3,"args":{"correlation":)" << id
         << R"(}},{"ph":"X","cat":"kernel","name":")" << name << R"(","pid":)" << rank
         << ",\"tid\":" << stream << ",\"ts\":" << start << ",\"dur\":" << end - start
         << R"(,"args":{"device":)" << rank << R"(,"stream":)" << stream << R"(,"correlation":)"
         << id << "}}";
  };
  long now = 1'000'000 + clock_us;
  for (int step = 0; step < 12; ++step) {
    op("sgemm_128", 7, now, now + late_us);
    op("ncclDevKernel_AllReduce_Sum", 20, now + late_us, now + 700);
    op("multi_tensor_apply_kernel<adam>", 7, now + 710, now + 750);
    now += 1000 + 37 * (step % 5);
  }
  text << "]}";
  return text.str();
}

// Two files in a folder of their own that is gone when the test is.
class Folder {
 public:
  Folder() {
    std::string path = std::filesystem::temp_directory_path().string() + "/deepprof_ranks_XXXXXX";
    path_ = ::mkdtemp(path.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string add(const std::string& name, const std::string& content) const {
    std::ofstream(path_ + "/" + name) << content;
    return path_ + "/" + name;
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

TEST_CASE(
    "communication of two ranks' files is split into transfer and waiting, and the straggler is "
    "named") {
  const Folder folder;
  const std::string first = folder.add("a.json", rank_trace(0, 200, 0)),
                    second = folder.add("b.json", rank_trace(1, 600, 5'000'000));
  const ProgramResult ranks = run_deepprof({"comm", second, first, "--ranks", "--format", "csv"});
  CAPTURE(ranks.out, ranks.err);
  CHECK(ranks.exit_code == 0);
  // Twelve collectives of 500 us and 100 us: 100 us of transfer each, 400 us of waiting on rank 0.
  CHECK(has(ranks.out, "12,12,6000000,"));
  CHECK(has(ranks.out,
            ",1200000,4800000,0,0,0,"));  // rank 0: transfer, waiting, not matched, never last
  CHECK(
      has(ranks.out, ",1200000,0,0,12,4800000,5000000000,0,"));  // rank 1, whose clock is 5 s ahead
  CHECK(ranks.out.find("\n0,0,") <
        ranks.out.find("\n1,1,"));  // by rank, not by the order of the files

  const ProgramResult page = run_deepprof({"report", folder.path()});
  CHECK(page.exit_code == 0);
  CHECK(has(page.out,
            "12 collectives matched; ends align the clocks: 5.000 s apart, then within 0 ns"));
  CHECK(has(page.out,
            "straggler  rank 1 came last in 12 of 12 collectives; the others waited 4.80 ms"));
  CHECK(has(one_line(page.out),
            "the others waited 4.80 ms for it there, on average, over the run: longer than for all "
            "the others together. Look at what it does before them."));
  CHECK(
      has(page.out, "iteration, busy: of the mean iteration; comm and what follows: over the run"));
  const Folder even;
  for (const int rank : {0, 1}) even.add(std::to_string(rank) + ".json", rank_trace(rank, 200, 0));
  CHECK(has(run_deepprof({"report", even.path()}).out,
            "straggler  none: no rank alone is waited for much"));
  CHECK(has(page.out, "The page below is of rank 1"));
  CHECK(has(run_deepprof({"report", folder.path(), "--rank", "0"}).out,
            "The page below is of rank 0"));
  CHECK(lines(run_deepprof({"comm", folder.path(), "--each", "--format", "csv", "--no-header"})
                  .out) == 12);
  const ProgramResult one =
      run_deepprof({"comm", folder.path(), "--rank", "0", "--format", "csv", "--no-header"});
  CHECK(lines(one.out) == 1);
  CHECK(has(one.out, ",1200000,4800000,0,"));  // the other rank still tells what it waited
  CHECK(
      has(run_deepprof({"report", folder.path(), "--format", "json"}).out, "\"table\":\"ranks\""));
}

TEST_CASE("what was sampled of ranks, and how unevenly they work, is in the JSON report") {
  const TemporaryFolder folder;
  for (int rank = 0; rank < 2; ++rank) {
    const int64_t kernel_ms = rank == 0 ? 900 : 200;
    TraceBuilder t(1'000'000);
    for (int64_t at = 0; at < 12'000; at += 1'000)
      t.launch("cudaLaunchKernel", at, at + 1).kernel("gemm", at + 2, at + kernel_ms);
    t.launch("cudaLaunchKernel", 11'990, 11'991).kernel("last", 11'995, 12'000);
    Trace trace = t.build();
    trace.process.rank = rank;
    trace.process.world_size = 2;
    trace.process.facts = {{"collective_ranks", "2"}};
    for (int64_t second = 0; second <= 12; ++second)
      trace.samples.push_back({trace.ops.front().start_ns + second * 1'000'000'000,
                               rank == 0 ? 400'000.0 : 90'000.0,
                               trace.names.intern(metric_name(Metric::gpu_power)), 0});
    trace.finish();
    write_trace_file(folder / ("rank" + std::to_string(rank) + ".dprof"), trace);
  }
  const std::string path = folder / "";
  const ProgramResult json = run_deepprof({"report", path, "--format", "json"});
  CAPTURE(json.out, json.err);
  CHECK(json.exit_code == 0);
  CHECK(has(json.out, "\"rank_findings\""));
  CHECK(has(json.out, "rank 1 computes 19.8 % of the run while rank 0 computes 89.9 %"));
  CHECK(has(json.out, "it draws 90.0 W against 400 W"));
  CHECK(has(json.out, "\"power_mw\""));
  const ProgramResult page = run_deepprof({"report", path});
  CHECK(has(page.out, "uneven     rank 1 computes"));
}

TEST_CASE("files and folders that make no job are refused in one line") {
  const Folder folder, empty;
  const std::string file = folder.add("a.json", rank_trace(0, 200, 0));
  const auto refused = [](const Words& arguments, const std::string& says) {
    const ProgramResult result = run_deepprof(arguments);
    CAPTURE(result.err, result.out);
    CHECK(result.exit_code == 1);
    CHECK(lines(result.err) == 1);
    CHECK(has(result.err, says));
  };
  for (const char* verb : {"comm", "report"}) {
    refused({verb, empty.path()}, "holds no trace");
    refused({verb, file, file}, "is named twice");
    const Folder copies;
    copies.add("b.json", rank_trace(0, 200, 0));
    copies.add("c.json", rank_trace(0, 300, 0));
    refused({verb, copies.path()}, "rank 0 is in two files: " + copies.path() + "/b.json and " +
                                       copies.path() + "/c.json");
    refused({verb, file, "/nonexistent"}, "cannot open /nonexistent");
    refused({verb, file, "--rank", "4"}, "--rank 4: the trace is of rank 0");
    refused({verb, folder.path(), "--device", "7"}, "--device 7: the trace has no such device");
  }
  refused({"comm", file, "--ranks", "--each"}, "excludes");
}

TEST_CASE(
    "a rank whose file is no trace is said to be left out, and so are ranks of jobs of different "
    "sizes") {
  const Folder folder;
  folder.add("a.json", rank_trace(0, 200, 0));
  std::string other = rank_trace(1, 200, 0);
  other.replace(other.find("\"world_size\":2"), 14, "\"world_size\":8");
  folder.add("b.json", other);
  const std::string empty = folder.add("c.dprof", ""), junk = folder.add("d.dprof", "junk");
  folder.add("a.report.txt", "no trace, and nobody takes it for one");
  folder.add("config.json", R"({"model":{"layers":12},"phase":"train"})");
  folder.add("tokenizer.json", "{\"vocab\":{" + std::string(200'000, ' ') +
                                   "\"the\": 262, \"ph\": 746, \"ph\":746}}");
  for (const char* verb : {"comm", "report"}) {
    const ProgramResult result = run_deepprof({verb, folder.path()});
    CAPTURE(result.out, result.err);
    CHECK(result.exit_code == 0);
    CHECK(has(result.err, empty + " is left out: it is empty"));
    CHECK(has(result.err, junk + " is left out: it is no trace"));
    CHECK(has(result.err, "are these ranks of one job? rank 0 is of 2, rank 1 of 8"));
    CHECK(lines(result.err) == 3);
  }
}

TEST_CASE("what a killed import left in a folder of ranks is told, and is no rank") {
  const Folder folder;
  for (const int rank : {0, 1})
    folder.add(std::to_string(rank) + ".json", rank_trace(rank, 200, 0));
  const std::string left = folder.add("deepprof.tmp4711.1", rank_trace(2, 200, 0));
  const ProgramResult result =
      run_deepprof({"comm", folder.path(), "--ranks", "--format", "csv", "--no-header"});
  CHECK(result.exit_code == 0);
  CHECK(has(one_line(result.err), left + " is left out: a command was killed that wrote it"));
  CHECK(lines(result.out) == 2);
}

TEST_CASE("files of different jobs are told, and nobody is blamed") {
  const Folder folder;
  const auto job = [&](const char* name, const char* kernel, long rank, long late_us, long at_us) {
    std::string text = rank_trace(static_cast<int>(rank), late_us, at_us);
    for (size_t at; (at = text.find("sgemm_128")) != std::string::npos;)
      text.replace(at, 9, kernel);
    text.replace(text.find(R"("distributedInfo")"),
                 text.find("\"traceEvents\"") - text.find(R"("distributedInfo")"), "");
    return folder.add(name, text);
  };
  constexpr long kMay2025_us = 1'746'000'000'000'000;
  const std::string a = job("a.json", "conv_fprop", 0, 600, kMay2025_us),
                    b = job("b.json", "flash_fwd", 1, 200, kMay2025_us),
                    later = job("c.json", "conv_fprop", 1, 200, kMay2025_us + 86'400'000'000),
                    mate = job("d.json", "conv_fprop", 1, 200, kMay2025_us + 1'000'000);
  const auto page_of = [](const std::string& first, const std::string& second) {
    const ProgramResult page = run_deepprof({"report", first, second});
    CHECK(page.exit_code == 0);
    return page.out + page.err;
  };
  const std::string unlike = page_of(a, b), apart = page_of(a, later), alike = page_of(a, mate);
  CAPTURE(unlike, apart, alike);
  CHECK(
      has(unlike, "a.json and b.json have at most 16.7 % of their compute time in kernels of the"));
  CHECK(has(apart, "a.json and c.json were recorded 24 hours apart"));
  for (const std::string& page : {unlike, apart}) {
    CHECK(has(page, "are these ranks of one job?"));
    CHECK_FALSE(has(page, "straggler"));
    CHECK_FALSE(has(page, "uneven"));
  }
  CHECK_FALSE(has(alike, "of one job?"));
  CHECK(has(alike, "straggler"));
  CHECK(has(alike, "uneven"));
}

TEST_CASE("eight recorded ranks of one job agree on their collectives and on who was late") {
  const char* named = std::getenv("DEEPPROF_CORPUS");
  const std::string corpus = named != nullptr ? named : "";
  Words arguments{"comm"};
  for (int rank = 0; rank < 8; ++rank)
    arguments.push_back(corpus + "/traces/param-dlrm-r" + std::to_string(rank) + ".json.gz");
  if (!std::filesystem::exists(arguments[1])) {
    WARN("no DEEPPROF_CORPUS: recorded ranks were not compared");
    return;
  }
  arguments.insert(arguments.end(), {"--ranks", "--format", "csv", "--no-header"});
  const ProgramResult ranks = run_deepprof(arguments);
  CHECK(lines(ranks.out) == 8);
  std::istringstream rows(ranks.out);
  for (std::string row; std::getline(rows, row);) {
    CHECK(has(row, ",8,8,"));     // all eight collectives of each rank
    CHECK(has(row, ",217000,"));  // the same transfer on each
  }
  // They ran on one machine: the clocks agree to the microsecond in which the files count.
  CHECK(has(ranks.out, ",-1000,1000,"));
  arguments = {arguments.begin() + 1, arguments.begin() + 9};
  arguments.insert(arguments.begin(), "report");
  CHECK(has(run_deepprof(arguments).out, "straggler  rank 7 came last in 5 of 8"));
}
