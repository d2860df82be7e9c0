#include "analysis/device/sample_index.h"

#include <algorithm>
#include <unordered_map>

namespace deepprof {

SampleIndex::SampleIndex(const Trace& trace) {
  // Of a trace's names, which may be millions, few are metrics.
  std::unordered_map<NameId, const MetricInfo*> info_of;
  // Of several at one time the first counts: no interval is empty.
  for (const Sample& sample : trace.samples) {
    const auto [known, is_new] = info_of.try_emplace(sample.metric, nullptr);
    if (is_new) known->second = find_metric(trace.names[sample.metric]);
    const MetricInfo* info = known->second;
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
