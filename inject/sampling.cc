#include "inject/sampling.h"

#include <unistd.h>

#include <utility>

#include "inject/log.h"
#include "libdeepprof/sample/process_source.h"
#include "libdeepprof/sample/processor_source.h"
#include "libdeepprof/sample/step_source.h"
#include "libdeepprof/sample/system_source.h"
#include "libdeepprof/sample/thread_source.h"

namespace deepprof {
namespace {

Sampler::Sources make_sources(const SamplerBriefing& briefing, const DefinitionLog& log, bool steps) {
  const auto process = static_cast<uint32_t>(::getpid());
  Sampler::Sources sources;
  sources.push_back(make_process_source(""));
  sources.push_back(make_processor_source(""));
  sources.push_back(make_system_source(""));
  sources.push_back(make_thread_source("", process, log));
  if (steps) sources.push_back(make_step_source(own_steps_path()));
  sources.push_back(make_gpu_source(briefing.gpus, process));  // last: it may block
  return sources;
}

MetricNames intern_names(NameInterner& names) {
  MetricNames ids{};
  for (const MetricInfo& info : metrics()) ids[static_cast<size_t>(info.metric)] = names.intern(info.name);
  return ids;
}

}  // namespace

Sampling::Sampling(int64_t interval_ns, bool steps, NameInterner& names, DefinitionLog& log) : steps_(steps) {
  if (interval_ns == 0) return;
  sampler_ = std::make_unique<Sampler>(interval_ns, make_sources(briefing_, log, steps),
                                       SampleSink(briefing_.clock, intern_names(names), log));
}

void Sampling::start() {
  if (sampler_ != nullptr && !sampler_->start()) {
    log_line("cannot create a thread for sampling");
    sampler_ = nullptr;
  }
}

void Sampling::stop() {
  if (sampler_ != nullptr) sampler_->stop();
}

void Sampling::finish(int64_t deadline_ns) {
  if (sampler_ != nullptr && !sampler_->finished(deadline_ns)) log_line("a sampler did not return in time");
  if (steps_) ::unlink(own_steps_path().c_str());
}

}  // namespace deepprof
