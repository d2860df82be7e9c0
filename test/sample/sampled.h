// A source asked by hand, and what came of it by metric.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "libdeepprof/sample/source.h"

namespace deepprof::test {

class Sampled {
 public:
  void ask(SampleSource& source) {
    source.sample(sink_);
    sink_.flush();
    for (const Definition& definition : log_.take()) {
      if (const auto* fact = std::get_if<FactDefinition>(&definition))
        facts[fact->key] = fact->value;
      const auto* batch = std::get_if<SampleBatch>(&definition);
      for (const SampledValue& sample :
           batch != nullptr ? batch->samples : std::vector<SampledValue>()) {
        values[{static_cast<Metric>(sample.metric), sample.device}].push_back(sample);
      }
    }
  }

  size_t count(Metric metric, uint32_t device = kHostDevice) const {
    const auto found = values.find({metric, device});
    return found == values.end() ? 0 : found->second.size();
  }
  // The last one. Precondition: there is one.
  double last(Metric metric, uint32_t device = kHostDevice) const {
    return values.at({metric, device}).back().value;
  }

  DefinitionLog& log() { return log_; }

  std::map<std::pair<Metric, uint32_t>, std::vector<SampledValue>> values;
  std::map<std::string, std::string> facts;

 private:
  static MetricNames numbers() {
    MetricNames names{};
    for (size_t i = 0; i < names.size(); ++i) names[i] = static_cast<NameId>(i);
    return names;
  }
  RecordsClock clock_;
  DefinitionLog log_;
  SampleAccount account_;
  SampleSink sink_{clock_, numbers(), log_, account_};
};

}  // namespace deepprof::test
