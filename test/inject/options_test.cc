#include "inject/options.h"

#include "test/support/catch.h"

namespace deepprof {
namespace {

Options options_of(std::vector<const char*> environment) {
  environment.push_back(nullptr);
  return read_options(environment.data());
}

Rank rank_of(std::vector<const char*> environment) {
  environment.push_back(nullptr);
  return read_rank(environment.data());
}

}  // namespace

TEST_CASE("without variables everything is at its default and nothing is complained about") {
  const Options options = options_of({"PATH=/bin", "DEEP=1", "DEEPPROF=1"});
  CHECK_FALSE(options.disabled);
  CHECK(options.report_to_stderr);
  CHECK(options.report_to_file);
  CHECK(options.wanted.api == cupti::ApiSelection::launch);
  CHECK_FALSE(options.wanted.allocations);
  CHECK(options.complaints.empty());
}

TEST_CASE("every variable reaches its option") {
  const Options options = options_of(
      {"DEEPPROF_OUTPUT=/data/%h.%p", "DEEPPROF_MAX_MEMORY=512M", "DEEPPROF_MAX_FILE=2G",
       "DEEPPROF_FLUSH_MS=50", "DEEPPROF_RANKS=0,3", "DEEPPROF_API=all", "DEEPPROF_GRAPH=graph",
       "DEEPPROF_KINDS=kernel,memset", "DEEPPROF_MEMORY=1", "DEEPPROF_CUPTI=/x/libcupti.so.12",
       "DEEPPROF_BATCH=64", "DEEPPROF_TAG_MODEL=ResNet 50", "DEEPPROF_LOG=stderr",
       "DEEPPROF_REARM_S=5", "DEEPPROF_CATEGORIES=rules.txt", "DEEPPROF_DELAY=10",
       "DEEPPROF_DURATION=1m", "DEEPPROF_FORMAT=json", "DEEPPROF_METRICS_FILE=/run/job.prom"});
  CHECK(options.complaints.empty());
  CHECK(options.output == "/data/%h.%p");
  CHECK(options.max_memory_bytes == uint64_t{512} << 20);
  CHECK(options.max_file_bytes == uint64_t{2} << 30);
  CHECK(options.flush_interval_ns == 50'000'000);
  CHECK(options.ranks == std::vector<int>{0, 3});
  CHECK(options.wanted.api == cupti::ApiSelection::all);
  CHECK(options.wanted.whole_graphs);
  CHECK(options.wanted.kernels);
  CHECK_FALSE(options.wanted.copies);
  CHECK(options.wanted.fills);
  CHECK(options.wanted.allocations);
  CHECK(options.cupti_path == "/x/libcupti.so.12");
  CHECK(options.batch == 64);
  CHECK(options.delay_ns == 10'000'000'000);
  CHECK(options.duration_ns == 60'000'000'000);
  CHECK(options.report_format == Format::json);
  CHECK(options.metrics_path == "/run/job.prom");
  CHECK(options.rearm_after_ns == 5'000'000'000);
  CHECK(options.tags == std::vector<std::pair<std::string, std::string>>{{"model", "ResNet 50"}});
}

TEST_CASE("where the report goes") {
  const auto report = [](const char* entry) {
    const Options options = options_of({entry});
    return std::tuple(options.report_to_stderr, options.report_to_file, options.report_path);
  };
  CHECK(report("DEEPPROF_REPORT=0") == std::tuple(false, false, std::string()));
  CHECK(report("DEEPPROF_REPORT=stderr") == std::tuple(true, false, std::string()));
  CHECK(report("DEEPPROF_REPORT=/tmp/r.txt") == std::tuple(false, true, std::string("/tmp/r.txt")));
}

TEST_CASE("an unknown variable is named once and ignored") {
  const Options options = options_of({"DEEPPROF_OUPUT=/x"});
  CHECK(options.complaints == std::vector<std::string>{"unknown variable DEEPPROF_OUPUT ignored"});
}

TEST_CASE("times are seconds unless they carry a unit") {
  const auto delay = [](const char* entry) { return options_of({entry}).delay_ns; };
  CHECK(delay("DEEPPROF_DELAY=30") == 30'000'000'000);
  CHECK(delay("DEEPPROF_DELAY=1.5") == 1'500'000'000);
  CHECK(delay("DEEPPROF_DELAY=250ms") == 250'000'000);
  CHECK(delay("DEEPPROF_DELAY=0.5m") == 30'000'000'000);
  CHECK(delay("DEEPPROF_DELAY=2h") == 7'200'000'000'000);
  for (const char* wrong : {"DEEPPROF_DELAY=", "DEEPPROF_DELAY=s", "DEEPPROF_DELAY=-1",
                            "DEEPPROF_DELAY=1.", "DEEPPROF_DELAY=1.0000001", "DEEPPROF_DELAY=1e3",
                            "DEEPPROF_DELAY=9999999h", "DEEPPROF_DELAY=18446744073709551615"}) {
    INFO(wrong);
    CHECK(options_of({wrong}).complaints.size() == 1);
    CHECK(delay(wrong) == 0);
  }
}

TEST_CASE("ceilings too small to work with are raised and told") {
  const Options options = options_of({"DEEPPROF_MAX_FILE=10", "DEEPPROF_MAX_MEMORY=0"});
  CHECK(options.max_file_bytes == 1 << 20);
  CHECK(options.max_memory_bytes == 8 << 20);
  CHECK(options.complaints ==
        std::vector<std::string>{"DEEPPROF_MAX_MEMORY=0 is too little, using 8M",
                                 "DEEPPROF_MAX_FILE=10 is too little, using 1M"});
  CHECK(options_of({"DEEPPROF_MAX_FILE=0"}).max_file_bytes == 0);
  CHECK(options_of({"DEEPPROF_MAX_FILE=0"}).complaints.empty());
}

TEST_CASE("what a complaint quotes cannot forge a line") {
  const Options options = options_of({"DEEPPROF_API=x\n\033[2Jdeepprof: all is well"});
  CHECK(options.complaints ==
        std::vector<std::string>{
            "DEEPPROF_API=x??[2Jdeepprof: all is well not understood, using the default"});
}

TEST_CASE("a value that is not understood leaves the default and is named") {
  const char* entry = GENERATE(
      "DEEPPROF_FLUSH_MS=fast", "DEEPPROF_FLUSH_MS=0", "DEEPPROF_FLUSH_MS=", "DEEPPROF_MAX_FILE=1T",
      "DEEPPROF_MAX_FILE=99999999999999999999", "DEEPPROF_MAX_FILE=18446744073709551615G",
      "DEEPPROF_RANKS=0,", "DEEPPROF_API=yes", "DEEPPROF_GRAPH=", "DEEPPROF_KINDS=kernel,kernels",
      "DEEPPROF_BATCH=-4", "DEEPPROF_DISABLE=maybe", "DEEPPROF_OUTPUT=");
  INFO(entry);
  const Options options = options_of({entry});
  CHECK(options.complaints.size() == 1);
  const Options defaults;
  CHECK(options.flush_interval_ns == defaults.flush_interval_ns);
  CHECK(options.max_file_bytes == defaults.max_file_bytes);
  CHECK(options.ranks.empty());
  CHECK(options.wanted.api == defaults.wanted.api);
  CHECK(options.wanted.copies);
  CHECK(options.batch == 0);
  CHECK_FALSE(options.disabled);
}

TEST_CASE("a long value does not flood the line") {
  const std::string entry = "DEEPPROF_API=" + std::string(10'000, 'x');
  CHECK(options_of({entry.c_str()}).complaints.at(0).size() < 200);
}

TEST_CASE("the rank comes from the launcher's variables") {
  CHECK(rank_of({"HOME=/root"}).rank == -1);
  CHECK(rank_of({"RANK=3", "WORLD_SIZE=8", "LOCAL_RANK=1"}).rank == 3);
  CHECK(rank_of({"RANK=3", "WORLD_SIZE=8"}).world_size == 8);
  CHECK(rank_of({"OMPI_COMM_WORLD_RANK=2", "OMPI_COMM_WORLD_SIZE=4"}).rank == 2);
  CHECK(rank_of({"SLURM_PROCID=5"}).rank == 5);
  CHECK(rank_of({"RANK=many", "LOCAL_RANK=1"}).rank == 1);
}

}  // namespace deepprof
