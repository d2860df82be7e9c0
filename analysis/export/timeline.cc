#include "analysis/export/timeline.h"

#include <map>
#include <tuple>

#include "analysis/export/overlap_levels.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

using Source = TimelineSlice::Source;

class Layout {
 public:
  Layout(const Trace& trace, const Mined& mined, TimelineVisitor& visitor)
      : trace_(trace), mined_(mined), visitor_(visitor) {}

  void make() {
    add_ops();
    add_iterations();
    add_host();
    add_holes();
  }

 private:
  // What a track is about: one object of the trace, its levels apart.
  struct Subject {
    uint32_t group;
    int32_t order;
    std::string name;
    OverlapLevels levels;
    std::vector<uint32_t> tracks;  // by level
  };
  using Key = std::tuple<uint32_t, int32_t, uint32_t>;  // group, order, id

  uint32_t add_group(const std::string& name) {
    visitor_.group(groups_, name);
    return groups_++;
  }
  uint32_t gpu(uint16_t device) {
    const auto known = gpus_.find(device);
    if (known != gpus_.end()) return known->second;
    std::string name = format_text("GPU %u", device);
    for (const Device& d : trace_.devices) {
      if (d.id == device && !d.name.empty()) name += " " + d.name;
    }
    return gpus_[device] = add_group(name);
  }

  uint32_t host() {
    if (host_ == kNone) {
      const ProcessInfo& process = trace_.process;
      host_ = add_group(process.command_line.empty()
                            ? format_text("host process %u", process.pid)
                            : process.command_line + format_text(" (pid %u)", process.pid));
    }
    return host_;
  }

  std::string thread_name(uint32_t thread) const {
    if (thread >= trace_.threads.size()) return "thread not known";
    const Thread& known = trace_.threads[thread];
    std::string name = format_text("thread %llu", static_cast<unsigned long long>(known.tid));
    return known.name.empty() ? name : name + " " + known.name;
  }

  void add(const Key& key, const std::string& name, bool nested, int64_t start_ns, int64_t end_ns,
           uint32_t row, Source source) {
    auto found = subjects_.find(key);
    if (found == subjects_.end()) {
      Subject subject{std::get<0>(key), std::get<1>(key), name, OverlapLevels(nested), {}};
      found = subjects_.emplace(key, std::move(subject)).first;
    }
    Subject& subject = found->second;
    const uint32_t level = subject.levels.place(start_ns, end_ns);
    while (subject.tracks.size() <= level) {
      const size_t number = subject.tracks.size() + 1;
      subject.tracks.push_back(tracks_);
      visitor_.track(tracks_++, {subject.group,
                                 number == 1 ? subject.name
                                             : subject.name + format_text(" (overlap %zu)", number),
                                 subject.order});
    }
    visitor_.slice({start_ns, end_ns, subject.tracks[level], row, source});
  }

  void add_ops() {
    for (uint32_t i = 0; i < trace_.ops.size(); ++i) {
      const Op& op = trace_.ops[i];
      add({gpu(op.device), 1, op.stream}, format_text("stream %u", op.stream), false, op.start_ns,
          op.end_ns(), i, Source::op);
    }
  }
  void add_iterations() {
    for (const DeviceMined& device : mined_.devices) {
      for (uint32_t i = 0; i < device.iterations.size(); ++i) {
        const Iteration& iteration = device.iterations[i];
        add({gpu(device.device), 0, 0}, "iterations", false, iteration.start_ns, iteration.end_ns,
            static_cast<uint32_t>(iteration.number), Source::iteration);
      }
    }
  }
  void add_host() {
    // Ranges above calls: they are what the calls were made for.
    for (uint32_t i = 0; i < trace_.ranges.size(); ++i) {
      const Range& range = trace_.ranges[i];
      add({host(), 0, range.thread}, thread_name(range.thread) + " ranges", true, range.start_ns,
          range.end_ns(), i, Source::range);
    }
    for (uint32_t i = 0; i < trace_.calls.size(); ++i) {
      const HostCall& call = trace_.calls[i];
      const bool wait = call.kind == Kind::sync;
      add({host(), wait ? 2 : 1, call.thread}, thread_name(call.thread) + (wait ? " waits" : ""),
          true, call.start_ns, call.end_ns(), i, Source::call);
    }
    for (uint32_t i = 0; i < trace_.overheads.size(); ++i) {
      const Overhead& overhead = trace_.overheads[i];
      add({host(), 3, 0}, "overhead", false, overhead.start_ns,
          overhead.start_ns + overhead.duration_ns, i, Source::overhead);
    }
  }
  void add_holes() {
    for (uint32_t i = 0; i < trace_.holes.size(); ++i) {
      const Hole& hole = trace_.holes[i];
      const uint32_t group =
          hole.device == kHostDevice ? host() : gpu(static_cast<uint16_t>(hole.device));
      add({group, -1, 0}, "not recorded", false, hole.start_ns, hole.end_ns, i, Source::hole);
    }
  }

  const Trace& trace_;
  const Mined& mined_;
  TimelineVisitor& visitor_;
  uint32_t groups_ = 0, tracks_ = 0;  // told of so far
  std::map<uint16_t, uint32_t> gpus_;
  uint32_t host_ = kNone;
  std::map<Key, Subject> subjects_;
};

}  // namespace

void lay_out(const Trace& trace, const Mined& mined, TimelineVisitor& visitor) {
  Layout(trace, mined, visitor).make();
}

std::string slice_name(const Trace& trace, const TimelineSlice& slice) {
  switch (slice.source) {
    case Source::op: return std::string(trace.names[trace.ops[slice.row].name]);
    case Source::call: return std::string(trace.names[trace.calls[slice.row].name]);
    case Source::range: return std::string(trace.names[trace.ranges[slice.row].name]);
    case Source::overhead: return std::string(trace.names[trace.overheads[slice.row].name]);
    case Source::iteration: return format_text("iteration %u", slice.row);
    case Source::hole: return "not recorded";
  }
  return {};
}

std::string memory_track_name(const Allocation& step) {
  return std::string("allocated_bytes ") + allocation_kind_name(step.kind) + " " +
         (step.device == kHostDevice ? "host" : format_text("GPU %u", step.device));
}

}  // namespace deepprof
