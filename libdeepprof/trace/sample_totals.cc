#include "libdeepprof/trace/sample_totals.h"

#include <algorithm>
#include <cmath>

#include "libdeepprof/trace/bytes.h"

namespace deepprof {
namespace {

constexpr uint64_t kVersion = 1;
constexpr size_t kMostSeries = 100'000;

// As analysis/device/curve.h has it: ten times the usual interval, two seconds at least.
bool is_hole(const SeriesTotals& of, int64_t length_ns) {
  constexpr int64_t kLeastHole_ns = 2'000'000'000, kHolePeriods = 10;
  const int64_t usual_ns =
      (of.last_ns - of.first_ns) / static_cast<int64_t>(std::max<uint64_t>(1, of.samples - 1));
  return length_ns > kLeastHole_ns && length_ns / kHolePeriods > usual_ns;
}

void add_interval(const MetricInfo& info, double before, double value, int64_t time_ns,
                  SeriesTotals& of) {
  const int64_t length_ns = time_ns - of.last_ns;
  const double seconds = static_cast<double>(length_ns) / 1e9;
  double sum = 0;
  switch (info.shape) {
    case MetricShape::gauge:
      if (of.samples > 1 && is_hole(of, length_ns)) return;
      sum = (before + value) / 2 * seconds;
      break;
    case MetricShape::mean: sum = value * seconds; break;
    case MetricShape::counter:
      if (!info.can_grow(value - before, length_ns)) {
        ++of.resets;
        return;
      }
      sum = value - before;
      break;
  }
  of.sum += sum;
  of.known_ns += length_ns;
}

void put_series(const std::pair<Metric, uint32_t>& key, const SeriesTotals& of, ByteSink& sink) {
  sink.put_text(metric_name(key.first));
  sink.put_varint(key.second);
  sink.put_varint(of.samples);
  sink.put_zigzag(of.first_ns);
  sink.put_varint(static_cast<uint64_t>(of.last_ns - of.first_ns));
  sink.put_varint(static_cast<uint64_t>(of.known_ns));
  sink.put_varint(of.resets);
  sink.put_varint(of.flagged);
  sink.put(of.least);
  sink.put(of.greatest);
  sink.put(of.sum);
}

SeriesTotals take_series(ByteReader& reader) {
  SeriesTotals of;
  of.samples = reader.take_varint();
  of.first_ns = reader.take_zigzag();
  const uint64_t length_ns = reader.take_varint(INT64_MAX);
  if (of.first_ns < 0 || length_ns > static_cast<uint64_t>(INT64_MAX - of.first_ns)) reader.fail();
  else of.last_ns = of.first_ns + static_cast<int64_t>(length_ns);
  of.known_ns = static_cast<int64_t>(reader.take_varint(length_ns));
  of.resets = reader.take_varint();
  of.flagged = reader.take_varint(of.samples);
  of.least = reader.take<double>();
  of.greatest = reader.take<double>();
  of.sum = reader.take<double>();
  if (!std::isfinite(of.least) || !std::isfinite(of.greatest) || !std::isfinite(of.sum))
    reader.fail();
  return of;
}

}  // namespace

void SampleTotals::add(Metric metric, uint32_t device, int64_t time_ns, double value) {
  SeriesTotals& of = series_[{metric, device}];
  double& last = last_[{metric, device}];
  if (of.samples == 0) {
    of.first_ns = time_ns;
    of.least = of.greatest = value;
  } else if (time_ns <= of.last_ns) {
    return;
  } else {
    add_interval(metric_info(metric), last, value, time_ns, of);
  }
  ++of.samples;
  of.last_ns = time_ns;
  of.least = std::min(of.least, value);
  of.greatest = std::max(of.greatest, value);
  if (metric == Metric::gpu_throttle)
    of.flagged += (static_cast<uint64_t>(value) & kThrottleBits) != 0;
  last = value;
}

const SeriesTotals* SampleTotals::of(Metric metric, uint32_t device) const {
  const auto found = series_.find({metric, device});
  return found == series_.end() ? nullptr : &found->second;
}

std::string SampleTotals::encode() const {
  ByteSink sink;
  sink.put_varint(kVersion);
  sink.put_varint(series_.size());
  for (const auto& [key, of] : series_) put_series(key, of, sink);
  return {sink.bytes().begin(), sink.bytes().end()};
}

std::optional<SampleTotals> SampleTotals::decode(std::string_view bytes) {
  ByteReader reader({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  if (reader.take_varint() != kVersion) return std::nullopt;
  SampleTotals totals;
  const uint64_t count = reader.take_varint(kMostSeries);
  for (uint64_t i = 0; i < count && !reader.failed(); ++i) {
    const MetricInfo* info = find_metric(reader.take_text());
    const auto device = static_cast<uint32_t>(reader.take_varint(UINT32_MAX));
    const SeriesTotals of = take_series(reader);
    if (info != nullptr) totals.series_[{info->metric, device}] = of;
  }
  if (reader.failed() || reader.remaining() != 0) return std::nullopt;
  return totals;
}

}  // namespace deepprof
