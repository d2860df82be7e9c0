// --to perfetto: Perfetto's own protobuf (track events): smaller than Chrome's JSON and without its
// limit.
//
// One sequence of packets: a first one that clears the state and interns the names, the tracks,
// then a BEGIN and an END for each slice. Perfetto sorts by time, stably, so slices need not come
// in order of time.
#include <map>

#include "analysis/export/exporter.h"
#include "analysis/export/op_columns.h"
#include "analysis/export/proto_message.h"
#include "analysis/export/timeline.h"
#include "analysis/report/utf8.h"
#include "libdeepprof/event/metric.h"

namespace deepprof {
namespace {

// Field numbers of perfetto/trace/trace_packet.proto and track_event.proto.
namespace trace_field {
constexpr uint32_t kPacket = 1;
}
namespace packet_field {
constexpr uint32_t kTimestamp = 8, kSequence = 10, kTrackEvent = 11, kInternedData = 12,
                   kSequenceFlags = 13, kTrackDescriptor = 60;
}
namespace event_field {
constexpr uint32_t kAnnotation = 4, kType = 9, kNameIid = 10, kTrack = 11, kCategory = 22,
                   kName = 23, kDoubleCounter = 44, kFlow = 47, kLastFlow = 48;
}
namespace descriptor_field {
constexpr uint32_t kUuid = 1, kName = 2, kParent = 5, kCounter = 8;
}
namespace interned_field {
constexpr uint32_t kEventNames = 2, kIid = 1, kText = 2;
}
namespace annotation_field {
constexpr uint32_t kInt = 4, kString = 6, kName = 10;
}

enum EventType : uint64_t { kSliceBegin = 1, kSliceEnd = 2, kCounter = 4 };
constexpr uint64_t kStateCleared = 1, kNeedsState = 2;
constexpr uint64_t kSequenceId = 1;

class PerfettoWriter final : public TimelineVisitor {
 public:
  PerfettoWriter(const Trace& trace, Sink& sink) : trace_(trace), sink_(sink) {}

  void write(const Mined& mined) {
    write_names();
    list_ops_of_calls();
    lay_out(trace_, mined, *this);
    write_samples();
    write_allocations();
  }

  void group(uint32_t number, const std::string& name) override {
    describe_track(ProtoMessage()
                       .varint(descriptor_field::kUuid, group_uuid(number))
                       .text(descriptor_field::kName, printable(name)));
  }
  void track(uint32_t number, const TimelineTrack& track) override {
    tracks_ = number + 1;
    describe_track(ProtoMessage()
                       .varint(descriptor_field::kUuid, track_uuid(number))
                       .text(descriptor_field::kName, printable(track.name))
                       .varint(descriptor_field::kParent, group_uuid(track.group)));
  }
  void slice(const TimelineSlice& slice) override { write_slice(slice); }

 private:
  void packet(ProtoMessage& packet, uint64_t flags) {
    packet.varint(packet_field::kSequence, kSequenceId).varint(packet_field::kSequenceFlags, flags);
    sink_.write(ProtoMessage().message(trace_field::kPacket, packet).bytes());
  }
  void event(int64_t time_ns, const ProtoMessage& event) {
    ProtoMessage message;
    message.varint(packet_field::kTimestamp, static_cast<uint64_t>(time_ns));
    message.message(packet_field::kTrackEvent, event);
    packet(message, kNeedsState);
  }

  void write_names() {
    ProtoMessage names;
    for (NameId id = 0; id < trace_.names.size(); ++id) {
      ProtoMessage name;
      name.varint(interned_field::kIid, iid(id))
          .text(interned_field::kText, printable(trace_.names[id]));
      names.message(interned_field::kEventNames, name);
    }
    ProtoMessage first;
    first.message(packet_field::kInternedData, names);
    packet(first, kStateCleared);
  }

  void describe_track(const ProtoMessage& descriptor) {
    ProtoMessage message;
    message.message(packet_field::kTrackDescriptor, descriptor);
    packet(message, kNeedsState);
  }

  // The arrows of a call end at its ops, each under the op's number.
  void list_ops_of_calls() {
    first_op_.assign(trace_.calls.size(), kNone);
    next_op_.assign(trace_.ops.size(), kNone);
    for (uint32_t op = 0; op < trace_.ops.size(); ++op) {
      const uint32_t call = trace_.ops[op].launch;
      if (call == kNone) continue;
      next_op_[op] = first_op_[call];
      first_op_[call] = op;
    }
  }

  void write_slice(const TimelineSlice& slice) {
    using Source = TimelineSlice::Source;
    ProtoMessage begin;
    begin.varint(event_field::kType, kSliceBegin)
        .varint(event_field::kTrack, track_uuid(slice.track));
    if (slice.source == Source::iteration || slice.source == Source::hole) {
      begin.text(event_field::kName, slice_name(trace_, slice));
    } else {
      begin.varint(event_field::kNameIid, iid(name_of(slice)));
    }
    if (slice.source == Source::op) describe(slice.row, begin);
    if (slice.source == Source::call) {
      for (uint32_t op = first_op_[slice.row]; op != kNone; op = next_op_[op]) {
        begin.fixed64(event_field::kFlow, op + uint64_t{1});
      }
    }
    event(slice.start_ns, begin);
    event(slice.end_ns, ProtoMessage()
                            .varint(event_field::kType, kSliceEnd)
                            .varint(event_field::kTrack, track_uuid(slice.track)));
  }
  NameId name_of(const TimelineSlice& slice) const {
    switch (slice.source) {
      case TimelineSlice::Source::op: return trace_.ops[slice.row].name;
      case TimelineSlice::Source::call: return trace_.calls[slice.row].name;
      case TimelineSlice::Source::range: return trace_.ranges[slice.row].name;
      default: return trace_.overheads[slice.row].name;
    }
  }
  void describe(uint32_t row, ProtoMessage& begin) {
    const Op& op = trace_.ops[row];
    if (op.launch != kNone) begin.fixed64(event_field::kLastFlow, row + uint64_t{1});
    begin.text(event_field::kCategory, kind_info(op.kind).name);
    describe_op(
        trace_, op,
        [&](std::string_view key, int64_t value) {
          begin.message(event_field::kAnnotation,
                        ProtoMessage()
                            .text(annotation_field::kName, key)
                            .varint(annotation_field::kInt, static_cast<uint64_t>(value)));
        },
        [&](std::string_view key, std::string_view value) {
          begin.message(event_field::kAnnotation, ProtoMessage()
                                                      .text(annotation_field::kName, key)
                                                      .text(annotation_field::kString, value));
        });
  }

  void write_samples() {
    std::map<std::pair<NameId, uint32_t>, uint64_t> counters;
    for (const Sample& sample : trace_.samples) {
      const auto [counter, is_new] = counters.emplace(std::pair(sample.metric, sample.device), 0);
      if (is_new) {
        counter->second = new_counter(printable(trace_.names[sample.metric]) + " " +
                                      owner_words(trace_.names[sample.metric], sample.device));
      }
      event(sample.time_ns, ProtoMessage()
                                .varint(event_field::kType, kCounter)
                                .varint(event_field::kTrack, counter->second)
                                .real(event_field::kDoubleCounter, sample.value));
    }
  }

  void write_allocations() {
    std::map<std::pair<uint32_t, AllocationKind>, uint64_t> counters;
    for (const Allocation& step : trace_.allocations) {
      const auto [counter, is_new] = counters.emplace(std::pair(step.device, step.kind), 0);
      if (is_new) counter->second = new_counter(memory_track_name(step));
      event(step.time_ns,
            ProtoMessage()
                .varint(event_field::kType, kCounter)
                .varint(event_field::kTrack, counter->second)
                .real(event_field::kDoubleCounter, static_cast<double>(step.in_use_bytes)));
    }
  }

  uint64_t new_counter(const std::string& name) {
    const uint64_t uuid = track_uuid(tracks_ + ++counters_);
    describe_track(ProtoMessage()
                       .varint(descriptor_field::kUuid, uuid)
                       .text(descriptor_field::kName, name)
                       .message(descriptor_field::kCounter, ProtoMessage()));
    return uuid;
  }

  // Perfetto's ids must not be 0.
  static uint64_t iid(NameId id) { return id + uint64_t{1}; }
  // Groups and tracks come as they are met: odd and even numbers keep them apart.
  static uint64_t group_uuid(uint32_t group) { return 2 * uint64_t{group} + 1; }
  static uint64_t track_uuid(uint32_t track) { return 2 * uint64_t{track} + 2; }

  const Trace& trace_;
  Sink& sink_;
  uint32_t tracks_ = 0, counters_ = 0;  // told of so far
  std::vector<uint32_t> first_op_, next_op_;
};

class PerfettoExporter final : public Exporter {
 public:
  const char* name() const override { return "perfetto"; }
  const char* suffix() const override { return ".pftrace"; }
  const char* about() const override {
    return "Perfetto's protobuf: as chrome, smaller and without a size limit";
  }

  absl::Status write(const ExportedPart& part, Sink& sink) const override {
    PerfettoWriter(part.trace, sink).write(part.mined);
    return absl::OkStatus();
  }
};

}  // namespace

std::unique_ptr<Exporter> make_perfetto_exporter() { return std::make_unique<PerfettoExporter>(); }

}  // namespace deepprof
