#include "test/support/job.h"

#include <algorithm>

namespace deepprof::test {

double& Job::stream_time(uint32_t stream) {
  for (auto& [id, time] : streams_) {
    if (id == stream) return time;
  }
  return streams_.emplace_back(stream, 0.0).second;
}

void Job::emit(const Launch& launch, uint32_t correlation, uint32_t node) {
  double& stream = stream_time(launch.stream);
  double ready = std::max(stream, host_ + 4);
  if (launch.stream != 7) {  // side streams wait for the main one, more or less
    if (launch.stream == 20) ready = std::max(ready, stream_time(7));
    ready += options_.jitter * random.uniform();
  }
  Made made;
  made.op.start_ns = static_cast<int64_t>(ready * 1000);
  made.op.duration_ns = static_cast<int64_t>(launch.us * (900 + random.between(0, 200)));
  made.op.correlation = correlation;
  made.op.graph_node = node;
  made.op.name = trace_.names.intern(launch.name);
  made.op.stream = launch.stream;
  made.op.kind = launch.kind;
  if (launch.kind == Kind::memcpy) {
    Detail detail;
    detail.copy_kind = launch.copy;
    detail.bytes = launch.bytes;
    made.op.detail = static_cast<uint32_t>(trace_.details.size());
    trace_.details.push_back(detail);
  }
  made.step = step_;
  made.launched = host_;
  stream_time(launch.stream) = ready + static_cast<double>(made.op.duration_ns) / 1000;
  ops_.push_back(made);
}

void Job::run(const Launch& launch) {
  if (seen_.size() < 512) seen_.push_back(launch);
  host_ += 4 + 3 * random.uniform();
  if (options_.noise > 0 && random.chance(options_.noise)) {
    const Launch& other = seen_[random.next() % seen_.size()];
    switch (random.between(0, 2)) {
      case 0: return;  // lost
      case 1: emit(other, ++correlation_, 0); return;
      default:
        emit(other, ++correlation_, 0);
        host_ += 5;
        break;
    }
  }
  emit(launch, ++correlation_, 0);
}

void Job::run_graph(const Launches& launches) {
  host_ += 10;
  const uint32_t correlation = ++correlation_;
  uint32_t node = 1;
  for (const Launch& launch : launches) emit(launch, correlation, node++);
}

void Job::sync() {
  for (const auto& [id, time] : streams_) host_ = std::max(host_, time);
  host_ += 5;
}

void Job::lose(int chunks, int least, int most) {
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const int length = random.between(least, most);
    if (size() <= 2 * length) return;
    const auto from = ops_.begin() + random.between(0, size() - length);
    ops_.erase(from, from + length);
  }
}

LabelledTrace Job::finish(const std::string& name) {
  LabelledTrace result;
  result.name = name;
  trace_.threads.push_back({1, 1, ""});
  uint32_t last_call = 0;
  for (const Made& made : ops_) {
    trace_.ops.push_back(made.op);
    if (!options_.correlations) trace_.ops.back().correlation = 0;
    if (options_.correlations && made.op.correlation != last_call) {
      last_call = made.op.correlation;
      trace_.calls.push_back({static_cast<int64_t>(made.launched * 1000), 3500, last_call,
                              trace_.names.intern("cudaLaunchKernel"), 0});
    }
  }
  // finish() sorts: the label travels in the context field.
  for (size_t i = 0; i < ops_.size(); ++i)
    trace_.ops[i].context = static_cast<uint32_t>(ops_[i].step + 1);
  trace_.finish();
  for (Op& op : trace_.ops) {
    result.step.push_back(static_cast<int>(op.context) - 1);
    op.context = 1;
  }
  result.trace = std::move(trace_);
  return result;
}

void hide_names(LabelledTrace& labelled) {
  Trace& trace = labelled.trace;
  NameTable numbers;
  for (Op& op : trace.ops) op.name = numbers.intern(std::to_string(op.name * 7919u % 100003u));
  for (HostCall& call : trace.calls) call.name = numbers.intern(std::to_string(call.name));
  for (Detail& detail : trace.details) detail.copy_kind = CopyKind::unknown;
  trace.names = std::move(numbers);
}

}  // namespace deepprof::test
