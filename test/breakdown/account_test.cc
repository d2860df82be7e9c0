#include "analysis/breakdown/account.h"

#include <algorithm>
#include <random>

#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using deepprof::test::TraceBuilder;

namespace {

Account account_of(const Trace& trace, Window window) {
  Categories categories;
  const auto category_of_name = categorise(trace, categories);
  const auto ops = ops_of_device(trace, 0);
  return account_windows(trace, ops, category_of_name, std::vector<Window>{window})[0];
}

// The slow judge: asks of every nanosecond what runs in it.
Account account_by_counting(const Trace& trace, std::span<const CategoryId> category_of_name,
                            Window window) {
  Account account;
  for (int64_t t = window.start_ns; t < window.end_ns; ++t) {
    std::array<bool, kActivities> runs{};
    for (const Op& op : trace.ops) {
      if (op.start_ns <= t && t < op.end_ns())
        runs[static_cast<size_t>(activity_of(op, category_of_name))] = true;
    }
    ++account.wall_ns;
    const auto first = std::find(runs.begin(), runs.end(), true);
    if (first == runs.end() && touches_hole(holes_of(trace, 0), t, t + 1))
      ++account.not_recorded_ns;
    else if (first == runs.end()) ++account.idle_ns;
    else ++account.exposed_ns[static_cast<size_t>(first - runs.begin())];
    for (size_t i = 0; i < kActivities; ++i) account.united_ns[i] += runs[i];
    account.kernels_ns += runs[0] || runs[1];
    account.overlap_ns += runs[0] && runs[1];
  }
  return account;
}

int64_t parts_of(const Account& account) {
  int64_t sum = account.idle_ns + account.not_recorded_ns;
  for (const int64_t part : account.exposed_ns) sum += part;
  return sum;
}

}  // namespace

TEST_CASE("time is claimed by compute, then communication, copies and fills") {
  TraceBuilder t(1);
  t.kernel("gemm", 10, 20).stream(8).kernel("ncclDevKernel_AllReduce", 15, 30);
  t.stream(9).copy(CopyKind::host_to_device, 5, 40).stream(10).memset(35, 50);
  const Trace trace = t.build();
  const Account account = account_of(trace, {t.at(0), t.at(60)});
  CHECK(account.exposed(Activity::compute) == 10);
  CHECK(account.exposed(Activity::communication) == 10);
  CHECK(account.exposed(Activity::memcpy) == 5 + 10);
  CHECK(account.exposed(Activity::memset) == 10);
  CHECK(account.idle_ns == 5 + 10);
  CHECK(account.united(Activity::memcpy) == 35);
  CHECK(account.kernels_ns == 20);
  CHECK(account.overlap_ns == 5);
  CHECK(parts_of(account) == 60);
}

TEST_CASE("ops are clipped at the borders of the window") {
  TraceBuilder t(1);
  t.kernel("before", 0, 15).kernel("across", 25, 100).kernel("after", 110, 120);
  const Trace trace = t.build();
  const Account account = account_of(trace, {t.at(10), t.at(40)});
  CHECK(account.exposed(Activity::compute) == 5 + 15);
  CHECK(account.idle_ns == 10);
}

TEST_CASE("ops of zero length take no time and cause no gap") {
  TraceBuilder t(1);
  t.kernel("a", 0, 10).kernel("nothing", 10, 10).kernel("b", 10, 20).kernel("nothing", 25, 25);
  const Account account = account_of(t.build(), {t.at(0), t.at(30)});
  CHECK(account.exposed(Activity::compute) == 20);
  CHECK(account.idle_ns == 10);
}

TEST_CASE("windows may touch, nest, overlap, be empty or lie outside all ops") {
  TraceBuilder t(1);
  t.kernel("a", 10, 20).kernel("b", 30, 40);
  const Trace trace = t.build();
  const std::vector<Window> windows{
      {t.at(0), t.at(50)},  {t.at(10), t.at(30)}, {t.at(30), t.at(40)},  {t.at(15), t.at(35)},
      {t.at(20), t.at(20)}, {t.at(30), t.at(20)}, {t.at(100), t.at(110)}};
  const auto accounts = account_windows(trace, ops_of_device(trace, 0), {}, windows);
  CHECK(accounts[0].idle_ns == 30);
  CHECK(accounts[1].idle_ns == 10);
  CHECK(accounts[2].idle_ns == 0);
  CHECK(accounts[3].busy_ns() == 10);
  CHECK(accounts[4] == Account{});
  CHECK(accounts[5] == Account{});
  CHECK(accounts[6].idle_ns == 10);
}

TEST_CASE("a hole is not idle, and what was recorded inside counts") {
  TraceBuilder t(1);
  t.kernel("before", 10, 20).kernel("late", 45, 50).kernel("after", 70, 80).hole(30, 60);
  t.device(1).hole(60, 70);
  const Account account = account_of(t.build(), {t.at(0), t.at(90)});
  CHECK(account.not_recorded_ns == 30 - 5);
  CHECK(account.idle_ns == 10 + 10 + 10 + 10);
  CHECK(account.busy_ns() == 25);
  CHECK(account.recorded_ns() == 90 - 25);
}

TEST_CASE("holes that overlap are one, and reach before the first op and behind the last") {
  TraceBuilder t(1);
  t.hole(25, 40).hole(0, 30).hole(35, 38).kernel("a", 50, 60).hole(70, 100);
  const Account account = account_of(t.build(), {t.at(10), t.at(90)});
  CHECK(account.not_recorded_ns == 30 + 20);
  CHECK(account.idle_ns == 10 + 10);
}

TEST_CASE("other devices take no part") {
  TraceBuilder t(1);
  t.kernel("a", 0, 10).device(1).kernel("b", 0, 100);
  const Trace trace = t.build();
  CHECK(account_of(trace, {t.at(0), t.at(100)}).idle_ns == 90);
  CHECK(ops_of_device(trace, 1).size() == 1);
  CHECK(span_of(trace, ops_of_device(trace, 1)).end_ns == t.at(100));
}

TEST_CASE("random traces agree with counting every nanosecond") {
  std::mt19937 random(11);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 300; ++round) {
    TraceBuilder t(1);
    for (int i = 1 + pick(30); i > 0; --i) {
      const int from = pick(200), to = from + pick(pick(8) == 0 ? 150 : 20);
      t.stream(static_cast<uint32_t>(pick(4)));
      switch (pick(4)) {
        case 0: t.kernel("gemm", from, to); break;
        case 1: t.kernel("ncclKernel_AllReduce", from, to); break;
        case 2: t.copy(CopyKind::device_to_host, from, to); break;
        default: t.memset(from, to);
      }
    }
    for (int i = pick(4); i > 0; --i) {
      const int from = pick(250);
      t.hole(from, from + pick(60));
    }
    const Trace trace = t.build();
    Categories categories;
    const auto category_of_name = categorise(trace, categories);
    std::vector<Window> windows;
    for (int i = 0; i < 5; ++i) {
      const int from = pick(350), to = from + pick(100);
      windows.push_back({t.at(from), t.at(to)});
    }
    const auto accounts =
        account_windows(trace, ops_of_device(trace, 0), category_of_name, windows);
    for (size_t i = 0; i < windows.size(); ++i) {
      REQUIRE(parts_of(accounts[i]) == windows[i].end_ns - windows[i].start_ns);
      REQUIRE(accounts[i] == account_by_counting(trace, category_of_name, windows[i]));
    }
  }
}
