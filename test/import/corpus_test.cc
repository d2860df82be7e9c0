#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/import/load.h"
#include "test/import/truth.h"
#include "test/support/catch.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

using Row = std::tuple<int64_t, int64_t, uint32_t, uint32_t, uint32_t, std::string, std::string>;

std::vector<Row> rows_of(const Trace& trace) {
  std::vector<Row> rows;
  for (const Op& op : trace.ops) {
    rows.emplace_back(op.start_ns, op.duration_ns, op.device, op.stream, op.correlation,
                      std::string(kind_info(op.kind).name), std::string(trace.names[op.name]));
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<Row> rows_of(const std::vector<TrueOp>& truth) {
  std::vector<Row> rows;
  for (const TrueOp& op : truth) {
    rows.emplace_back(op.start_ns, op.duration_ns, op.device, op.stream, op.correlation, op.kind, op.name);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

TEST_CASE("every recorded Kineto trace gives exactly the true GPU ops") {
  const std::string folder = corpus_folder();
  if (folder.empty()) return;
  const auto names = corpus_names(folder, ".json.gz");
  REQUIRE_FALSE(names.empty());
  for (const std::string& name : names) {
    INFO(name);
    const auto trace = load_trace(folder + "/traces/" + name + ".json.gz");
    REQUIRE(trace.ok());
    const auto truth = read_truth(folder + "/truth/" + name + ".csv.gz");
    REQUIRE(truth.ok());
    const auto got = rows_of(*trace), wanted = rows_of(*truth);
    REQUIRE(got.size() == wanted.size());
    const auto [wrong, right] = std::mismatch(got.begin(), got.end(), wanted.begin());
    if (wrong != got.end()) {
      CAPTURE(std::get<0>(*wrong), std::get<0>(*right), std::get<6>(*wrong), std::get<6>(*right),
              std::get<3>(*wrong), std::get<3>(*right), std::get<4>(*wrong), std::get<4>(*right));
      CHECK(*wrong == *right);
    }
    CHECK_FALSE(trace->losses.any(Severity::note));
    CHECK(trace->process.source == "Kineto");
  }
}

TEST_CASE("every op finds the launch that the truth names") {
  const std::string folder = corpus_folder();
  if (folder.empty()) return;
  for (const std::string& name : corpus_names(folder, ".json.gz")) {
    INFO(name);
    const auto trace = load_trace(folder + "/traces/" + name + ".json.gz");
    REQUIRE(trace.ok());
    const auto truth = read_truth(folder + "/truth/" + name + ".csv.gz");
    REQUIRE(truth.ok());
    std::multimap<std::pair<int64_t, uint32_t>, const TrueOp*> by_place;
    for (const TrueOp& op : *truth) by_place.emplace(std::pair(op.start_ns, op.correlation), &op);
    for (const Op& op : trace->ops) {
      const auto found = by_place.find({op.start_ns, op.correlation});
      REQUIRE(found != by_place.end());
      const TrueOp& wanted = *found->second;
      REQUIRE((op.launch != kNone) == wanted.has_launch);
      if (wanted.has_launch) REQUIRE(trace->calls[op.launch].start_ns == wanted.launch_ns);
    }
  }
}
