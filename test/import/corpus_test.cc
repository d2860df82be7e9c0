#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/import/load.h"
#include "libdeepprof/trace/allocation_ledger.h"
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
    rows.emplace_back(op.start_ns, op.duration_ns, op.device, op.stream, op.correlation, op.kind,
                      op.name);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

// `correlation_mask`: the part of the id that the file itself gives.
void check_ops(const std::string& folder, const std::string& suffix, const std::string& source,
               uint32_t correlation_mask) {
  const auto names = corpus_names(folder, suffix);
  REQUIRE_FALSE(names.empty());
  for (const std::string& name : names) {
    INFO(name);
    auto trace = load_trace(folder + "/traces/" + name + suffix);
    REQUIRE(trace.ok());
    for (Op& op : trace->ops) op.correlation &= correlation_mask;
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
    CHECK(trace->process.source == source);
  }
}

}  // namespace

TEST_CASE("every recorded trace gives exactly the true GPU ops, whatever its format") {
  const std::string folder = corpus_folder();
  if (folder.empty()) return;
  check_ops(folder, ".json.gz", "Kineto", UINT32_MAX);
  check_ops(folder, ".json", "TensorFlow timeline", UINT32_MAX);
  check_ops(folder, ".xplane.pb", "XPlane", UINT32_MAX);
  check_ops(folder, ".sqlite", "Nsight Systems", (1u << 28) - 1);  // processes are told apart above
}

TEST_CASE("every op finds the launch that the truth names") {
  const std::string folder = corpus_folder();
  if (folder.empty()) return;
  for (const char* suffix : {".json.gz", ".sqlite", ".xplane.pb"}) {
    for (const std::string& name : corpus_names(folder, suffix)) {
      INFO(name);
      const auto trace = load_trace(folder + "/traces/" + name + suffix);
      REQUIRE(trace.ok());
      const auto truth = read_truth(folder + "/truth/" + name + ".csv.gz");
      REQUIRE(truth.ok());
      std::multimap<std::tuple<int64_t, uint32_t, uint32_t>, const TrueOp*> by_place;
      for (const TrueOp& op : *truth)
        by_place.emplace(std::tuple(op.start_ns, op.device, op.stream), &op);
      for (const Op& op : trace->ops) {
        // Several ops of a stream may start in one microsecond: any of them with this launch will
        // do.
        const auto [first, last] = by_place.equal_range({op.start_ns, op.device, op.stream});
        const bool found = std::any_of(first, last, [&](const auto& entry) {
          const TrueOp& wanted = *entry.second;
          if (!wanted.has_launch) return op.launch == kNone;
          return op.launch != kNone && trace->calls[op.launch].start_ns == wanted.launch_ns;
        });
        REQUIRE(found);
      }
    }
  }
}

TEST_CASE("the sums of PyTorch's allocator in recorded traces are met by its steps") {
  const std::string folder = corpus_folder();
  if (folder.empty()) return;
  const auto totals_of = [&](const std::string& name) {
    const auto trace = load_trace(folder + "/traces/" + name + ".json.gz");
    REQUIRE(trace.ok());
    return *AllocationLedger::decode(trace->blobs.at(std::string(AllocationLedger::kBlobKey)));
  };
  // The file's greatest and last "Total Allocated" of the GPU and of the host, and "Total
  // Reserved".
  const auto owlv2 = totals_of("tracelens-owlv2-h100");
  const AllocationTotals& gpu = owlv2.at({0, AllocationKind::framework});
  CHECK(gpu.peak_bytes == 2'707'847'680);
  CHECK(gpu.in_use_bytes == 917'445'120);
  CHECK(gpu.unmatched == 0);
  CHECK(owlv2.at({0, AllocationKind::framework_reserved}).peak_bytes == 3'600'809'984);
  CHECK(owlv2.at({Allocation::kHost, AllocationKind::framework}).peak_bytes == 152'680'988);
  // Without sums: the greatest sum of "Bytes".
  const auto resnet = totals_of("kineto-resnet50-v100-w4");
  CHECK(resnet.at({0, AllocationKind::framework}).peak_bytes == 2'791'505'408);
  CHECK(resnet.at({0, AllocationKind::framework}).in_use_bytes == 0);
}
