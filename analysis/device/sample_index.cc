#include "analysis/device/sample_index.h"

#include <algorithm>

namespace deepprof {

SampleIndex::SampleIndex(const Trace& trace) {
  std::vector<const MetricInfo*> info_of(trace.names.size(), nullptr);
  for (const MetricInfo& info : metrics()) {
    for (NameId id = 0; id < trace.names.size(); ++id) {
      if (trace.names[id] == info.name) info_of[id] = &info;
    }
  }
  // Of several at one time the first counts: no interval is empty.
  for (const Sample& sample : trace.samples) {
    const MetricInfo* info = sample.metric < info_of.size() ? info_of[sample.metric] : nullptr;
    if (info == nullptr) continue;
    if (!info->can_be(sample.value)) {
      ++impossible_;
      continue;
    }
    std::vector<SamplePoint>& series = series_[{info->metric, sample.device}];
    if (series.empty() || series.back().time_ns < sample.time_ns)
      series.push_back({sample.time_ns, sample.value});
  }
}

std::span<const SamplePoint> SampleIndex::of(Metric metric, uint32_t device) const {
  const auto found = series_.find({metric, device});
  return found == series_.end() ? std::span<const SamplePoint>() : found->second;
}

std::vector<uint32_t> SampleIndex::gpus() const {
  std::vector<uint32_t> devices;
  for (const auto& [key, series] : series_) {
    if (metric_info(key.first).scope == MetricScope::gpu) devices.push_back(key.second);
  }
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  return devices;
}

}  // namespace deepprof
