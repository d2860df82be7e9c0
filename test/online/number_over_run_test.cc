#include "analysis/online/number_over_run.h"

#include "analysis/online/run_statistics_blob.h"
#include "test/support/catch.h"

using namespace deepprof;

namespace {

constexpr int64_t kStep_ns = 1000;
constexpr int64_t kBegin_ns = 1'000'000;

// A run of `count` iterations of a microsecond each, of which those in [from, to) are not recorded.
class Run {
 public:
  explicit Run(int64_t count) {
    statistics_.iterations.emplace_back();
    statistics_.counted = statistics_.iterations[0].count = static_cast<uint64_t>(count);
    statistics_.last_end_ns = start_of(count);
    device_.verdict = Verdict::iteration;
  }
  static int64_t start_of(int64_t iteration) { return kBegin_ns + iteration * kStep_ns; }

  Run& record(int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) {
      Iteration iteration;
      iteration.start_ns = start_of(i);
      iteration.end_ns = start_of(i + 1);
      iteration.number = static_cast<int64_t>(device_.iterations.size());
      device_.iterations.push_back(iteration);
    }
    if (recorded_to_ > 0) trace_.holes.push_back({start_of(recorded_to_), start_of(from), 0});
    recorded_to_ = to;
    return *this;
  }
  // Nothing whole is recorded from here on.
  Run& cut() {
    trace_.holes.push_back({start_of(recorded_to_), start_of(recorded_to_ + 2), 0});
    return *this;
  }
  // An iteration that the statistics know, and perhaps another place in it as its start.
  Run& slow(int64_t iteration, int64_t shift_ns = 0) {
    statistics_.iterations[0].slow.push_back(
        {static_cast<uint64_t>(iteration), start_of(iteration) + shift_ns, kStep_ns, 0});
    return *this;
  }
  Run& slow_as(int64_t iteration, uint64_t number) {
    slow(iteration);
    statistics_.iterations[0].slow.back().number = number;
    return *this;
  }
  Run& known_to(int64_t iteration) {
    statistics_.counted = statistics_.iterations[0].count = static_cast<uint64_t>(iteration);
    statistics_.last_end_ns = start_of(iteration) + kStep_ns / 2;
    return *this;
  }

  std::vector<int64_t> numbers(bool with_statistics = true) {
    statistics_.ops = 1;
    statistics_.first_start_ns = kBegin_ns;
    if (with_statistics)
      trace_.blobs[run_statistics_key(0)] = encode_run_statistics(statistics_, {});
    trace_.finish();
    Mined mined;
    mined.devices.push_back(device_);
    number_over_run(trace_, mined);
    std::vector<int64_t> numbers;
    for (const Iteration& iteration : mined.devices[0].iterations)
      numbers.push_back(iteration.number);
    text = mined.devices[0].numbers_text();
    return numbers;
  }
  std::string text;

 private:
  Trace trace_;
  DeviceMined device_;
  RunStatistics statistics_;
  int64_t recorded_to_ = 0;
};

using Numbers = std::vector<int64_t>;

}  // namespace

TEST_CASE("behind a hole, iterations have the numbers that the run gave them") {
  Run run(1000);
  run.record(0, 3).record(500, 503).record(997, 1000).slow(501);
  CHECK(run.numbers() == Numbers{0, 1, 2, 500, 501, 502, 997, 998, 999});
  CHECK(run.text == "iterations 0 to 2, 500 to 502 and 997 to 999");
}

TEST_CASE("iterations that are cut elsewhere while the job runs are matched by their middle") {
  for (const int64_t shift_ns : {-400, 400}) {
    Run run(503);
    CHECK(run.record(0, 2).record(500, 503).slow(501, shift_ns).numbers() ==
          Numbers{0, 1, 500, 501, 502});
  }
}

TEST_CASE(
    "a killed job's statistics know the number of an iteration that ended before they were "
    "stored") {
  Run run(1000);
  CHECK(run.record(0, 2).record(900, 1000).known_to(950).numbers()[2 + 99] == 999);
}

TEST_CASE(
    "the number that the run told of an iteration is its own, though more were found before it") {
  Run run(1000);
  // Two more in the recording than the run counted between its iterations 901 and 910.
  CHECK(run.record(0, 1).record(900, 915).slow(901).slow_as(912, 910).known_to(915).numbers() ==
        Numbers{0, 900, 901, 902, 903, 904, 905, 906, 907, 908, 909, 909, 909, 910, 911, 914});
}

TEST_CASE("a stretch of which nothing is known counts on from the one before") {
  Run run(1000);
  CHECK(run.record(0, 2).record(500, 502).record(998, 1000).numbers() ==
        Numbers{0, 1, 2, 3, 998, 999});
}

TEST_CASE("numbers never descend, whatever the statistics say") {
  Run run(3);
  CHECK(run.record(0, 4).record(500, 502).slow(501, 0).record(998, 1000).slow(1).numbers() ==
        Numbers{0, 1, 2, 3, 500, 501, 502, 503});
}

TEST_CASE("slow iterations at impossible times or with impossible numbers tell nothing") {
  Run run(1000);
  run.record(0, 2)
      .record(900, 902)
      .slow(900, INT64_MAX - Run::start_of(900))
      .slow_as(901, UINT64_MAX);
  CHECK(run.known_to(902).numbers() == Numbers{0, 1, 900, 901});
}

TEST_CASE("a hole at the end changes no number in front of it") {
  Run run(9);
  CHECK(run.record(0, 5).cut().known_to(8).numbers() == Numbers{0, 1, 2, 3, 4});
}

TEST_CASE("without holes or without statistics nothing changes") {
  Run whole(4);
  CHECK(whole.record(0, 4).slow(3).numbers() == Numbers{0, 1, 2, 3});
  Run unknown(1000);
  CHECK(unknown.record(0, 2).record(500, 502).numbers(false) == Numbers{0, 1, 2, 3});
}
