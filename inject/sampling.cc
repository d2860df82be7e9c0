#include "inject/sampling.h"

#include <unistd.h>

#include <utility>

#include "libdeepprof/sample/children_source.h"
#include "libdeepprof/sample/process_source.h"
#include "libdeepprof/sample/processor_source.h"
#include "libdeepprof/sample/step_source.h"
#include "libdeepprof/sample/system_source.h"
#include "libdeepprof/sample/thread_source.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

Sampler::Sources host_sources(const DefinitionLog& log, const std::string& steps_path) {
  Sampler::Sources sources;
  sources.push_back(make_process_source(""));
  sources.push_back(make_children_source(""));
  sources.push_back(make_processor_source(""));
  sources.push_back(make_system_source(""));
  sources.push_back(make_thread_source("", static_cast<uint32_t>(::getpid()), log));
  if (!steps_path.empty()) sources.push_back(make_step_source(steps_path));
  return sources;
}

Sampler::Sources gpu_sources(const SamplerBriefing& briefing) {
  Sampler::Sources sources;
  sources.push_back(make_gpu_source(briefing.gpus, static_cast<uint32_t>(::getpid())));
  return sources;
}

MetricNames intern_names(NameInterner& names) {
  MetricNames ids{};
  for (const MetricInfo& info : metrics())
    ids[static_cast<size_t>(info.metric)] = names.intern(info.name);
  return ids;
}

}  // namespace

Sampling::Sampling(const Wanted& wanted, NameInterner& names, DefinitionLog& log)
    : log_(log),
      interval_ns_(wanted.interval_ns),
      steps_path_(wanted.steps && wanted.interval_ns != 0 ? own_steps_path() : "") {
  if (interval_ns_ == 0) return;
  const MetricNames ids = intern_names(names);
  add(
      "dp-sample", WorkerThread::Descriptors::own,
      [this] { return host_sources(log_, steps_path_); }, ids);
  if (wanted.gpus)
    add(
        "dp-gpus", WorkerThread::Descriptors::jobs, [this] { return gpu_sources(briefing_); }, ids);
}

void Sampling::add(const char* thread_name, WorkerThread::Descriptors descriptors,
                   std::function<Sampler::Sources()> make, const MetricNames& names) {
  SampleSink sink(briefing_.clock, names, log_, account_);
  parts_.push_back({thread_name, descriptors,
                    std::make_unique<Sampler>(interval_ns_, std::move(make), std::move(sink))});
}

bool Sampling::start() {
  if (parts_.empty()) return true;
  log_.publish(FactDefinition{"sample_interval_ns",
                              format_text("%lld", static_cast<long long>(interval_ns_))});
  bool all = true;
  for (Part& part : parts_) {
    if (part.sampler->start(part.thread_name, part.descriptors)) continue;
    part.sampler = nullptr;
    all = false;
  }
  if (!all) log_.publish(FactDefinition{kSamplingLost, "cannot create a thread"});
  return all;
}

void Sampling::stop() {
  for (const Part& part : parts_) {
    if (part.sampler != nullptr) part.sampler->stop();
  }
}

void Sampling::finish(int64_t deadline_ns) {
  size_t ended = 0, late = 0;
  int64_t cpu_ns = 0;
  for (const Part& part : parts_) {
    if (part.sampler == nullptr) continue;
    const bool in_time = part.sampler->finished(deadline_ns);
    ++(in_time ? ended : late);
    if (in_time) cpu_ns += part.sampler->cpu_ns();
  }
  if (late > 0) {
    log_.publish(FactDefinition{kSamplingLost, "the last samples did not come in time"});
  } else if (ended > 0) {
    log_.publish(
        FactDefinition{"sampler_cpu_ns", format_text("%lld", static_cast<long long>(cpu_ns))});
  }
  if (std::string totals = account_.totals(); !totals.empty())
    log_.publish(SampleBatch{{}, std::move(totals)});
  if (!steps_path_.empty()) ::unlink(steps_path_.c_str());
}

}  // namespace deepprof
