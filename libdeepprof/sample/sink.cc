#include "libdeepprof/sample/sink.h"

#include "libdeepprof/text.h"

namespace deepprof {

void SampleSink::put(Metric metric, uint32_t device, int64_t monotonic_ns, double value) {
  batch_.samples.push_back({clock_.of(monotonic_ns), names_[static_cast<size_t>(metric)], device, value});
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
  const size_t count = batch_.samples.size();
  if (!log_.publish_if_room(std::move(batch_), kMostWaiting)) {
    dropped_.count += count;
  } else {
    tell_dropped();
  }
  batch_ = {};
}

void SampleSink::tell_dropped() {
  const size_t count = dropped_.count;
  if (dropped_.told.exchange(count) != count) fact("samples_dropped", format_text("%zu", count));
}

}  // namespace deepprof
