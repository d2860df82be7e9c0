#include "libdeepprof/event/event.h"
#include "libdeepprof/event/kind.h"
#include "libdeepprof/event/loss.h"
#include "libdeepprof/event/metric.h"
#include "test/support/catch.h"

using namespace deepprof;

TEST_CASE("an event keeps its kind, its detail mark and durations up to 78 hours") {
  Event event;
  event.set_kind(Kind::memcpy, true);
  CHECK(event.kind() == Kind::memcpy);
  CHECK(event.has_detail());
  event.set_kind(Kind::api_call, false);
  CHECK_FALSE(event.has_detail());
  event.set_duration(int64_t{1} << 40);
  CHECK(event.duration_ns() == int64_t{1} << 40);
  event.set_duration(INT64_MAX);
  CHECK(event.duration_ns() == static_cast<int64_t>(Event::kMaxDuration_ns));
}

TEST_CASE("the kinds table is in the order of its numbers and answers unknown numbers with none") {
  for (size_t number = 0; number < kinds().size(); ++number) {
    CHECK(static_cast<size_t>(kinds()[number].kind) == number);
    CHECK(kinds()[number].is_gpu_op == is_gpu_op(kinds()[number].kind));
  }
  CHECK(kind_info(static_cast<Kind>(99)).name == "none");
}

TEST_CASE("the loss table is in the order of its numbers") {
  for (size_t number = 0; number < losses().size(); ++number) {
    CHECK(static_cast<size_t>(losses()[number].loss) == number);
  }
  LossCounts counts;
  counts[Loss::segment_evicted] = 3;
  CHECK(counts.any(Severity::note));
  CHECK_FALSE(counts.any(Severity::warning));
}

TEST_CASE("the metrics table is in the order of its numbers, and every name is found once") {
  for (size_t number = 0; number < metrics().size(); ++number) {
    const MetricInfo& info = metrics()[number];
    CHECK(static_cast<size_t>(info.metric) == number);
    CHECK(find_metric(info.name) == &info);
  }
  CHECK(find_metric("gpu_power_mw")->metric == Metric::gpu_power);
  CHECK(find_metric("gpu_colour") == nullptr);
}
