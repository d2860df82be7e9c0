// The accounts against reference arithmetic on recorded traces, equal to the last nanosecond.
#include <algorithm>
#include <array>
#include <iostream>

#include "analysis/breakdown/account.h"
#include "analysis/gaps/gaps.h"
#include "analysis/gaps/hta_idle.h"
#include "test/support/catch.h"
#include "test/support/corpus_tables.h"

using namespace deepprof;
using namespace deepprof::test::corpus;

namespace {

bool no_corpus() {
  if (!folder().empty()) return false;
  std::cout << "DEEPPROF_CORPUS is not set: the accounts are not compared with recorded traces\n";
  return true;
}

int64_t number(const CsvRow& row, const char* column) { return std::stoll(row.at(column)); }

std::vector<CategoryId> categories_of(const Trace& trace) {
  Categories categories;
  return categorise(trace, categories);
}

// Ops of the device for which `keep` holds.
template <typename Keep>
std::vector<uint32_t> filtered(const Trace& trace, uint16_t device, Keep keep) {
  std::vector<uint32_t> ops;
  for (const uint32_t index : ops_of_device(trace, device)) {
    if (keep(trace.ops[index])) ops.push_back(index);
  }
  return ops;
}

// "10743.18190625" us in nanoseconds, without passing through a double's rounding of the whole
// part.
int64_t nanoseconds(const std::string& microseconds) {
  return static_cast<int64_t>(std::stold(microseconds) * 1000 + 0.5L);
}

// HTA rounds starts up and ends down to whole microseconds. What gets shorter than nothing is
// nothing to us; HTA counts such an op as -1 us of busy time where nothing else runs. Returns that
// time.
int64_t round_as_hta(Trace& trace) {
  int64_t negative_ns = 0, busy_until = 0;
  for (Op& op : trace.ops) {
    const int64_t start = (op.start_ns + 999) / 1000 * 1000, end = op.end_ns() / 1000 * 1000;
    if (end < start && start > busy_until) negative_ns += start - end;
    busy_until = std::max(busy_until, end);
    op.start_ns = start;
    op.duration_ns = std::max<int64_t>(0, end - start);
  }
  trace.finish();
  return negative_ns;
}

// Time of a step's ops that are communication to us and kernels to the reference.
int64_t only_ours_ns(const Trace& trace, const std::vector<std::string>& step_of,
                     const std::string& step) {
  int64_t sum = 0;
  for (size_t index = 0; index < trace.ops.size(); ++index) {
    const bool ours = trace.names[trace.ops[index].name].find("multimem_all_reduce_kernel") !=
                      std::string_view::npos;
    if (ours && step_of[index] == step) sum += trace.ops[index].duration_ns;
  }
  return sum;
}

int64_t union_ns(const Trace& trace, const std::vector<uint32_t>& ops) {
  const Window span = span_of(trace, ops);
  return account_windows(trace, ops, {}, std::vector<Window>{span})[0].busy_ns();
}

constexpr size_t kComputation = 1, kCommunicating = 2, kMemory = 4, kAllTypes = 7;

// Nanoseconds in which exactly a set of types runs, by set: from the unions of all sets, smallest
// first.
std::array<int64_t, 8> time_by_types(const Trace& trace) {
  const auto category_of_name = categories_of(trace);
  const uint16_t device = devices_with_ops(trace)[0];
  const auto united = [&](size_t types) {
    return union_ns(trace, filtered(trace, device, [&](const Op& op) {
                      const Activity activity = activity_of(op, category_of_name);
                      const size_t type = activity == Activity::compute         ? kComputation
                                          : activity == Activity::communication ? kCommunicating
                                                                                : kMemory;
                      return (type & types) != 0;
                    }));
  };
  const int64_t all = united(kAllTypes);
  std::array<int64_t, 8> exact{};
  for (size_t set = 1; set <= kAllTypes; ++set) {
    exact[set] = all - united(kAllTypes & ~set);  // nothing outside the set runs
    for (size_t part = 1; part < set; ++part) {
      if ((part & set) == part) exact[set] -= exact[part];
    }
  }
  return exact;
}

}  // namespace

TEST_CASE("given a step's window and ops, busy, idle, gaps and sums equal the reference") {
  if (no_corpus()) return;
  size_t steps = 0;
  for (const std::string& name : traces("steps", ".steps.csv")) {
    const Truth truth = read_truth(name);
    const Trace& trace = truth.trace;
    const auto category_of_name = categories_of(trace);
    const auto classes = classify_calls(trace);
    for (const CsvRow& row : table("steps/" + name + ".steps.csv")) {
      INFO(name << " step " << row.at("step"));
      const auto device = static_cast<uint16_t>(number(row, "device"));
      const Window window{number(row, "start_ns"),
                          number(row, "start_ns") + number(row, "window_ns")};
      const auto ops = ops_of_device(trace, device);
      const Account account =
          account_windows(trace, ops, category_of_name, std::vector<Window>{window})[0];
      REQUIRE(account.wall_ns == number(row, "window_ns"));
      REQUIRE(account.busy_ns() == number(row, "busy_ns"));
      REQUIRE(account.idle_ns == number(row, "idle_ns"));

      int64_t gaps = 0, long_gaps = 0, largest = 0, idle = 0;
      for_each_gap(trace, ops, classes, [&](const Gap& gap) {
        const int64_t piece =
            std::min(gap.end_ns, window.end_ns) - std::max(gap.start_ns, window.start_ns);
        if (piece <= 0) return;
        ++gaps;
        long_gaps += piece > 10'000;
        largest = std::max(largest, piece);
        idle += piece;
      });
      REQUIRE(idle == account.idle_ns);
      REQUIRE(gaps == number(row, "gaps"));
      REQUIRE(long_gaps == number(row, "gaps_gt10us"));
      REQUIRE(largest == number(row, "largest_gap_ns"));

      std::array<int64_t, kActivities> sums{};
      int64_t events = 0;
      for (uint32_t index = 0; index < trace.ops.size(); ++index) {
        if (truth.step[index] != row.at("step") || trace.ops[index].device != device) continue;
        sums[static_cast<size_t>(activity_of(trace.ops[index], category_of_name))] +=
            trace.ops[index].duration_ns;
        ++events;
      }
      // The reference knows communication by fewer words: symmetric memory's
      // multimem_all_reduce_kernel is a kernel there.
      const int64_t moved = only_ours_ns(trace, truth.step, row.at("step"));
      REQUIRE((moved > 0) == (name == "tracelens-vllm-prefill-b200"));
      REQUIRE(events == number(row, "events"));
      REQUIRE(sums[0] + moved == number(row, "kernel_ns"));
      REQUIRE(sums[1] - moved == number(row, "comm_ns"));
      REQUIRE(sums[2] == number(row, "memcpy_ns"));
      REQUIRE(sums[3] == number(row, "memset_ns"));
      ++steps;
    }
  }
  std::cout << steps << " marked steps compared\n";
  CHECK(steps >= 100);
}

TEST_CASE("span, idle and compute of the whole trace equal HTA's temporal breakdown") {
  if (no_corpus()) return;
  size_t compared = 0;
  for (const std::string& name : traces("hta", ".temporal.csv")) {
    // HTA counts alexnet's synchronization records as GPU work; for vllm-prefill its figures differ
    // from its own rule by 73 us.
    if (name == "hta-alexnet-fwd-a100" || name == "tracelens-vllm-prefill-b200") continue;
    INFO(name);
    const CsvRow row = table("hta/" + name + ".temporal.csv")[0];
    // Made with HTA_DISABLE_NS_ROUNDING=1: the times have a fraction.
    const bool exact = row.at("kernel_time(us)").find(".0") + 2 != row.at("kernel_time(us)").size();
    Truth truth = read_truth(name);
    const int64_t negative_ns = exact ? 0 : round_as_hta(truth.trace);
    const auto equal = [&](int64_t ours, const char* column) {
      // HTA's times are doubles: with a fraction they are good to a nanosecond.
      return std::abs(ours - nanoseconds(row.at(column))) <= (exact ? 1 : 0);
    };
    const Trace& trace = truth.trace;
    const auto category_of_name = categories_of(trace);
    const auto ops = ops_of_device(trace, devices_with_ops(trace)[0]);
    const Account account =
        account_windows(trace, ops, category_of_name, std::vector<Window>{span_of(trace, ops)})[0];
    CHECK(equal(account.wall_ns, "kernel_time(us)"));
    CHECK(equal(account.idle_ns + negative_ns, "idle_time(us)"));
    CHECK(equal(account.united(Activity::compute), "compute_time(us)"));
    CHECK(equal(account.busy_ns() - negative_ns - account.united(Activity::compute),
                "non_compute_time(us)"));
    ++compared;
  }
  CHECK(compared == 19);
}

TEST_CASE("time by combination of kernel types equals HTA's kernel breakdown") {
  if (no_corpus()) return;
  for (const std::string& name : traces("hta", ".kernel_type.csv")) {
    if (name == "tracelens-vllm-prefill-b200") continue;  // multimem_all_reduce_kernel, as above
    INFO(name);
    Truth truth = read_truth(name);
    round_as_hta(truth.trace);
    const auto exact = time_by_types(truth.trace);
    for (const CsvRow& row : table("hta/" + name + ".kernel_type.csv")) {
      INFO(row.at("kernel_type"));
      size_t types = 0;
      if (row.at("kernel_type").find("COMPUTATION") != std::string::npos) types |= kComputation;
      if (row.at("kernel_type").find("COMMUNICATION") != std::string::npos) types |= kCommunicating;
      if (row.at("kernel_type").find("MEMORY") != std::string::npos) types |= kMemory;
      CHECK(exact[types] / 1000 == number(row, "sum"));
    }
  }
}

TEST_CASE("idle time by HTA's own rule equals HTA's idle breakdown") {
  if (no_corpus()) return;
  size_t files = 0;
  for (const std::string& name : traces("hta", ".idle.csv")) {
    // In these two HTA keeps 64 ops whose launch is not in the trace.
    const bool keeps = name == "param-dlrm-r1" || name == "param-dlrm-r3";
    const Truth truth = read_truth(name);
    const auto rows =
        hta_idle(truth.trace, ops_of_device(truth.trace, devices_with_ops(truth.trace)[0]),
                 keeps ? Unlaunched::host_wait : Unlaunched::dropped);
    std::map<std::string, int64_t> ours;
    for (const HtaIdle& row : rows) {
      const std::string stream = std::to_string(row.stream) + " ";
      ours[stream + "host_wait"] = row.host_wait_us;
      ours[stream + "kernel_wait"] = row.kernel_wait_us;
      ours[stream + "other"] = row.other_us;
    }
    for (const CsvRow& row : table("hta/" + name + ".idle.csv")) {
      const std::string key = row.at("stream") + " " + row.at("idle_category");
      INFO(name << " stream " << key);
      CHECK(ours.at(key) * 1000 == nanoseconds(row.at("idle_time")));
      ours.erase(key);
    }
    // Classes that HTA leaves out are those of no time.
    for (const auto& [key, microseconds] : ours) {
      INFO(name << " stream " << key);
      CHECK(microseconds == 0);
    }
    ++files;
  }
  CHECK(files == 21);
}
