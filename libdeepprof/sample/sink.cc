#include "libdeepprof/sample/sink.h"

#include "libdeepprof/text.h"

namespace deepprof {

bool SampleSink::put(Metric metric, uint32_t device, int64_t monotonic_ns, double value) {
  if (!metric_info(metric).can_be(value)) {
    ++account_.impossible.count;
    return false;
  }
  batch_.samples.push_back(
      {clock_.of(monotonic_ns), names_[static_cast<size_t>(metric)], device, value});
  metrics_.push_back(metric);
  return true;
}

void SampleSink::unavailable(Metric metric, uint32_t device, const std::string& reason) {
  if (!told_.emplace(metric, device).second) return;
  std::string key = "na." + std::string(metric_name(metric));
  if (device != kHostDevice) key += format_text(".gpu%u", device);
  fact(std::move(key), reason);
}

void SampleSink::fact(std::string key, std::string value) {
  log_.publish(FactDefinition{std::move(key), std::move(value)});
}

void SampleSink::flush() {
  if (batch_.samples.empty()) return;
  account_.add(batch_, metrics_);
  if (account_.totals_are_due(monotonic_ns())) batch_.totals = account_.totals();
  const size_t count = batch_.samples.size();
  if (!log_.publish_if_room(std::move(batch_), kMostWaiting)) {
    account_.dropped.count += count;
  } else {
    tell_lost();
  }
  batch_ = {};
  batch_.samples.reserve(count);
  metrics_.clear();
}

void SampleSink::tell_lost() {
  for (SampleAccount::Lost* lost : {&account_.dropped, &account_.impossible}) {
    const size_t count = lost->count;
    if (lost->told.exchange(count) != count) fact(lost->fact, format_text("%zu", count));
  }
}

}  // namespace deepprof
