// deepprof compare as a user runs it, on files of made-up jobs.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "analysis/model/dprof.h"
#include "libdeepprof/trace/writer.h"
#include "test/cli/run_program.h"
#include "test/compare/made_up_job.h"
#include "test/import/temporary_file.h"
#include "test/support/catch.h"
#include "test/trace/temporary_folder.h"
#include "test/trace/write_trace_file.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

ProgramResult compare(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "compare");
  return run_deepprof(std::move(arguments));
}

class Files {
 public:
  std::string write(const std::string& name, const JobPlan& plan,
                    std::vector<std::pair<std::string, std::string>> facts = {}) {
    Trace trace = MadeUpJob(plan).run();
    trace.process.facts = std::move(facts);
    return write_trace_file(folder_ / (name + ".dprof"), trace);
  }

 private:
  TemporaryFolder folder_;
};

JobPlan plan(uint64_t seed, double input_us = 300) {
  JobPlan plan;
  plan.seed = seed;
  plan.input_us = input_us;
  return plan;
}

}  // namespace

TEST_CASE(
    "the gate passes runs that do not differ and fails one that is slower, with the reason on "
    "stderr") {
  Files files;
  const std::string old = files.write("old", plan(1)), same = files.write("same", plan(2)),
                    slow = files.write("slow", plan(3, 900));
  const ProgramResult passed = compare({old, same, "--gate", "5"});
  INFO(passed.err);
  CHECK(passed.exit_code == 0);
  CHECK(has(passed.out, "Nothing differs by more than chance."));
  const ProgramResult failed = compare({old, slow, "--gate", "5"});
  CHECK(failed.exit_code == 3);
  CHECK(has(failed.err, "gate failed: slow against old: +"));
  CHECK(has(failed.out, "host outside CUDA"));
  CHECK(compare({old, slow, "--gate", "90"}).exit_code == 0);
  CHECK(compare({old, slow}).exit_code == 0);
  CHECK(compare({slow, old, "--gate", "5"}).exit_code == 0);
  CHECK(compare({old, same, slow, "--gate", "5"}).exit_code == 3);
}

TEST_CASE(
    "a gate that cannot tell is inconclusive, loudly, and programs find its verdict in a table") {
  Files files;
  JobPlan noisy_a = plan(41), noisy_b = plan(42);
  noisy_a.iterations = noisy_b.iterations = 6;
  noisy_a.jitter = noisy_b.jitter = 0.1;
  const std::string a = files.write("a", noisy_a), b = files.write("b", noisy_b);
  const ProgramResult unsure = compare({a, b, "--gate", "0.5", "--format", "json"});
  INFO(unsure.err);
  CHECK(unsure.exit_code == 2);
  CHECK(has(unsure.err, "gate inconclusive: b against a: "));
  CHECK(has(unsure.err, "to see +0.5 %"));
  CHECK(has(unsure.out, "\"verdict\":\"inconclusive\""));
  const ProgramResult sure = compare({a, b, "--gate", "200", "--table", "gate", "--format", "csv"});
  CHECK(sure.exit_code == 0);
  CHECK(sure.err.empty());
  CHECK(has(sure.out, "\na,b,2,passed,typical,iteration,"));
  CHECK(has(compare({a, b, "--gate", "200", "--by", "gpu", "--format", "json"}).out,
            "\"verdict\":\"passed\""));
  CHECK(has(compare({"--help"}).out, "2 inconclusive"));
}

TEST_CASE(
    "a gate that does not rule out more than its limit passes, and with --strict cannot tell") {
  Files files;
  const std::string old = files.write("old", plan(1)), slow = files.write("slow", plan(3, 900));
  // Between what was measured (+9.9 % in the mean) and the end of its interval (+10.4 %).
  const std::string limit = "10.15";
  const ProgramResult lenient = compare({old, slow, "--gate", limit});
  INFO(lenient.err);
  CHECK(lenient.exit_code == 0);
  CHECK(has(lenient.err, "is not ruled out"));
  CHECK(compare({old, slow, "--gate", limit, "--strict"}).exit_code == 2);
  CHECK(compare({old, slow, "--gate", "90", "--strict"}).exit_code == 0);
  CHECK(compare({old, slow, "--gate", "5", "--strict"}).exit_code == 3);
  CHECK(compare({old, slow, "--strict"}).exit_code == 1);
}

TEST_CASE("a gate that fails on stalls alone says by how much the mean of all iterations grew") {
  Files files;
  JobPlan steady = plan(21), stalling = plan(22);
  steady.iterations = stalling.iterations = 200;
  stalling.stall_share = 0.15;
  const ProgramResult failed =
      compare({files.write("steady", steady), files.write("stalling", stalling), "--gate", "10"});
  INFO(failed.err);
  CHECK(failed.exit_code == 3);
  CHECK(has(failed.err, " % mean time per iteration (99 % interval +"));
  const std::string before = "gate failed: stalling against steady: +";
  const size_t at = failed.err.find(before);
  REQUIRE(at != std::string::npos);
  CHECK(std::atof(failed.err.c_str() + at + before.size()) > 10);
}

TEST_CASE("a comparison goes into a file as it goes to stdout, whole") {
  Files files;
  const TemporaryFolder folder;
  const std::string a = files.write("a", plan(51)), b = files.write("b", plan(52, 900));
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{}, {"--by", "gpu"}, {"--format", "markdown"}}) {
    std::vector<std::string> command{a, b};
    command.insert(command.end(), more.begin(), more.end());
    const ProgramResult shown = compare(command);
    const std::string path = folder / ("out" + std::to_string(more.size()) + ".txt");
    std::filesystem::remove(path);
    command.insert(command.end(), {"-o", path});
    const ProgramResult written = compare(command);
    CAPTURE(more, written.err);
    CHECK(written.exit_code == shown.exit_code);
    CHECK(written.out.empty());
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    CHECK(text.str() == shown.out);
  }
}

TEST_CASE("compare has help with an example and prints every table in every format") {
  Files files;
  const std::string a = files.write("a", plan(4)), b = files.write("b", plan(5));
  const ProgramResult help = compare({"--help"});
  CHECK(help.exit_code == 0);
  CHECK(has(help.out, "  deepprof compare before.dprof"));
  for (const char* table : {"changes", "measures", "ops", "calls", "runs"}) {
    INFO(table);
    const ProgramResult csv = compare({a, b, "--table", table, "--format", "csv"});
    CHECK(csv.exit_code == 0);
    CHECK(has(csv.out.substr(0, csv.out.find('\n')), ","));
    CHECK(has(compare({a, b, "--table", table, "--format", "json"}).out, "{"));
    CHECK(has(compare({a, b, "--table", table, "--format", "markdown"}).out, "|"));
    CHECK(lines(compare({a, b, "--table", table}).out) >= 2);
  }
}

TEST_CASE(
    "the batch comes from the run itself or from the command line, and gives items per second") {
  Files files;
  const std::string a = files.write("a", plan(6), {{"batch", "64"}}), b = files.write("b", plan(7));
  CHECK_FALSE(has(compare({a, b}).out, "items/s"));
  CHECK(has(compare({a, b, "--batch", "64"}).out, "items/s"));
  CHECK(has(compare({a, b, "--batch", "64,128"}).out, "time per item"));
  const ProgramResult wrong = compare({a, b, "--batch", "1,2,3"});
  CHECK(wrong.exit_code == 1);
  CHECK(lines(wrong.err) == 1);
}

TEST_CASE("rows by what the runs do not say are refused with the way to say it") {
  Files files;
  const std::string a = files.write("a", plan(6), {{"batch", "64"}}), b = files.write("b", plan(7));
  const ProgramResult batch = compare({a, b, "--by", "batch"});
  CHECK(batch.exit_code == 1);
  CHECK(has(batch.err, b + " does not say its batch; give --batch N"));
  CHECK(compare({a, b, "--by", "batch", "--batch", "64,128"}).exit_code == 0);
  const ProgramResult tag = compare({a, b, "--by", "tag:lr"});
  CHECK(tag.exit_code == 1);
  CHECK(has(tag.err, a + " does not say its lr; record with DEEPPROF_TAG_<NAME> set"));
}

TEST_CASE("a sweep orders runs by what was varied and says which is best") {
  Files files;
  const std::string large =
                        files.write("large", plan(6, 900), {{"batch", "128"}, {"tag.lr", "0.2"}}),
                    small = files.write("small", plan(7), {{"batch", "64"}, {"tag.lr", "0.1"}});
  const ProgramResult text = compare({large, small, "--by", "batch", "--price", "made=2.5"});
  INFO(text.err);
  CHECK(text.exit_code == 0);
  CHECK(has(text.out, "By time: batch 128 is fastest"));
  CHECK(has(text.out, "By cost: batch 128 is best"));
  const ProgramResult csv = compare({large, small, "--table", "sweep", "--format", "csv"});
  CHECK(csv.out.find("\nbatch,64,small,") < csv.out.find("\nbatch,128,large,"));
  CHECK(has(compare({large, small, "--by", "tag:lr"}).out, "lr 0.2"));
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--by", "mood"},
                                             {"--price", "2.5"},
                                             {"--price", "H200=free"},
                                             {"--price", "=3"},
                                             {"--price", "made=inf"},
                                             {"--price", "made=nan"},
                                             {"--price", "made=-2"},
                                             {"--table", "gate"},
                                             {"--by", "batch", "--table", "ops"},
                                             {"--price", "made=3", "--table", "runs"}}) {
    std::vector<std::string> arguments{large, small};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    const ProgramResult result = compare(arguments);
    CHECK(result.exit_code == 1);
    CHECK(lines(result.err) == 1);
  }
}

TEST_CASE("of several tables those are sorted that have the column, and each is cut by itself") {
  Files files;
  const std::string a = files.write("a", plan(61)), b = files.write("b", plan(62, 900));
  const std::string sorted = compare({a, b, "--format", "csv", "-s", "-change_ns", "-n", "2"}).out;
  INFO(sorted);
  size_t tables = 0;
  bool had_ops = false;
  std::istringstream text(sorted);
  std::vector<std::string> table;
  const auto finish = [&] {
    if (table.empty()) return;
    ++tables;
    CHECK(table.size() <= 3);  // its columns and two rows
    had_ops = had_ops || has(table[0], "count_a");
    table.clear();
  };
  for (std::string line; std::getline(text, line);) {
    if (line.empty()) finish();
    else table.push_back(line);
  }
  finish();
  CHECK(tables == 5);  // runs, changes, measures, ops, calls
  CHECK(had_ops);
  const std::string ops =
      compare({a, b, "--table", "ops", "--format", "csv", "-s", "-change_ns"}).out;
  CHECK(has(sorted, ops.substr(0, ops.find('\n', ops.find('\n') + 1))));  // the first row, too
  const ProgramResult page = compare({a, b, "-s", "change", "-n", "1"});
  CHECK(page.exit_code == 0);
  CHECK(has(page.out, "b against a"));
  const ProgramResult none = compare({a, b, "-s", "colour"});
  CHECK(none.exit_code == 1);
  CHECK(lines(none.err) == 1);
  CHECK(has(none.err, "--sort: no column colour"));
}

TEST_CASE("runs without iterations are compared whole, and cannot pass a gate") {
  Files files;
  JobPlan once = plan(31), slow = plan(32);
  slow.slow = "gemm_wgrad";
  once.iterations = slow.iterations = 1;
  const std::string a = files.write("rank0", once), b = files.write("rank1", slow);
  const ProgramResult whole = compare({a, b});
  INFO(whole.out << whole.err);
  CHECK(whole.exit_code == 0);
  CHECK(has(whole.out, "rank1 against rank0: +"));
  CHECK(has(whole.out, "whole run, one each: no significance can be said"));
  CHECK(has(whole.out, "wall time"));
  CHECK_FALSE(has(whole.out, "iterations/s"));
  CHECK_FALSE(has(whole.out, "more than chance"));
  CHECK(has(compare({a, b, "--table", "measures", "--format", "csv"}).out, "iteration_ns,run,"));
  const ProgramResult gated = compare({a, b, "--gate", "5"});
  CHECK(gated.exit_code == 2);
  CHECK(has(gated.err, "no iterations to gate"));
  CHECK(has(compare({a, b, "--by", "gpu"}).out, "Fewer than two runs have iterations"));
}

TEST_CASE(
    "a run without iterations beside one with them is inconclusive, an unreadable one an error") {
  Files files;
  JobPlan once = plan(9);
  once.iterations = 1;
  const std::string a = files.write("a", plan(8)), b = files.write("b", once);
  const ProgramResult inconclusive = compare({a, b, "--gate", "5"});
  CHECK(inconclusive.exit_code == 2);
  CHECK(has(inconclusive.err, "no iterations to gate"));
  const ProgramResult compared = compare({a, b});
  CHECK(compared.exit_code == 2);
  CHECK(has(compared.err, "no iterations to compare"));
  const TemporaryFile nonsense("nonsense");
  CHECK(compare({a, nonsense.path()}).exit_code == 1);
  CHECK(compare({a}).exit_code == 1);
}
