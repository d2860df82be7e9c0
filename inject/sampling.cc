#include "inject/sampling.h"

#include <unistd.h>

#include <utility>

#include "libdeepprof/sample/process_source.h"
#include "libdeepprof/sample/processor_source.h"
#include "libdeepprof/sample/step_source.h"
#include "libdeepprof/sample/system_source.h"
#include "libdeepprof/sample/thread_source.h"

namespace deepprof {
namespace {

Sampler::Sources make_sources(const SamplerBriefing& briefing, const DefinitionLog& log, const std::string& steps_path) {
  const auto process = static_cast<uint32_t>(::getpid());
  Sampler::Sources sources;
  sources.push_back(make_process_source(""));
  sources.push_back(make_processor_source(""));
  sources.push_back(make_system_source(""));
  sources.push_back(make_thread_source("", process, log));
  if (!steps_path.empty()) sources.push_back(make_step_source(steps_path));
  sources.push_back(make_gpu_source(briefing.gpus, process));  // last: it may block
  return sources;
}

MetricNames intern_names(NameInterner& names) {
  MetricNames ids{};
  for (const MetricInfo& info : metrics()) ids[static_cast<size_t>(info.metric)] = names.intern(info.name);
  return ids;
}

}  // namespace

Sampling::Sampling(int64_t interval_ns, bool steps, NameInterner& names, DefinitionLog& log)
    : log_(log), steps_path_(steps && interval_ns != 0 ? own_steps_path() : "") {
  if (interval_ns == 0) return;
  sampler_ = std::make_unique<Sampler>(interval_ns, make_sources(briefing_, log, steps_path_),
                                       SampleSink(briefing_.clock, intern_names(names), log));
}

bool Sampling::start() {
  if (sampler_ == nullptr || sampler_->start()) return true;
  sampler_ = nullptr;
  log_.publish(FactDefinition{kSamplingLost, "cannot create a thread"});
  return false;
}

void Sampling::stop() {
  if (sampler_ != nullptr) sampler_->stop();
}

void Sampling::finish(int64_t deadline_ns) {
  if (sampler_ != nullptr && !sampler_->finished(deadline_ns)) {
    log_.publish(FactDefinition{kSamplingLost, "the last samples did not come in time"});
  }
  if (!steps_path_.empty()) ::unlink(steps_path_.c_str());
}

}  // namespace deepprof
