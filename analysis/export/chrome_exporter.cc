// --to chrome: the JSON of chrome://tracing, Perfetto and TensorBoard ("Trace Event Format").
//
// Times are microseconds with three decimals, printed from integers. Slices of one thread that
// overlap without being nested are dropped by viewers, so such a track has levels (timeline.h).
#include "analysis/export/exporter.h"
#include "analysis/export/op_columns.h"
#include "analysis/export/timeline.h"
#include "analysis/report/render.h"
#include "libdeepprof/event/metric.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

std::string microseconds(int64_t ns) {
  const char* sign = ns < 0 ? "-" : "";
  const uint64_t size = ns < 0 ? 0 - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
  return format_text("%s%llu.%03llu", sign, static_cast<unsigned long long>(size / 1000),
                     static_cast<unsigned long long>(size % 1000));
}

class ChromeWriter final : public TimelineVisitor {
 public:
  ChromeWriter(const Trace& trace, Sink& sink)
      : trace_(trace),
        sink_(sink),
        track_of_op_(trace.ops.size(), kNone),
        track_of_call_(trace.calls.size(), kNone) {}

  void write(const Mined& mined) {
    // What import/own_output.h knows it by.
    sink_.write(
        "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"exported_by\":\"deepprof\"},"
        "\"traceEvents\":[");
    lay_out(trace_, mined, *this);
    write_launch_arrows();
    write_samples();
    write_allocations();
    sink_.write("\n]}\n");
  }

  void group(uint32_t number, const std::string& name) override {
    metadata("process_name", number, 0, "\"name\":" + json_quote(name));
    metadata("process_sort_index", number, 0, format_text("\"sort_index\":%u", number));
  }
  void track(uint32_t number, const TimelineTrack& track) override {
    group_of_track_.push_back(track.group);
    metadata("thread_name", track.group, number, "\"name\":" + json_quote(track.name));
    metadata("thread_sort_index", track.group, number,
             format_text("\"sort_index\":%d", track.order));
  }
  void slice(const TimelineSlice& slice) override {
    if (slice.source == TimelineSlice::Source::op) track_of_op_[slice.row] = slice.track;
    if (slice.source == TimelineSlice::Source::call) track_of_call_[slice.row] = slice.track;
    write_slice(slice);
  }

 private:
  void event(const std::string& members) {
    sink_.write(first_ ? "\n{" : ",\n{");
    sink_.write(members);
    sink_.write("}");
    first_ = false;
  }
  void metadata(const char* what, uint32_t group, uint32_t track, const std::string& arguments) {
    event(format_text("\"ph\":\"M\",\"name\":\"%s\",\"pid\":%u,\"tid\":%u,\"args\":{", what,
                      group + 1, track + 1) +
          arguments + "}");
  }
  // Where a slice lies, as its pid and tid.
  std::string place(uint32_t track) const {
    return format_text("\"pid\":%u,\"tid\":%u", group_of_track_[track] + 1, track + 1);
  }
  static const char* category(TimelineSlice::Source source) {
    switch (source) {
      case TimelineSlice::Source::op: return "gpu_op";
      case TimelineSlice::Source::call: return "api_call";
      case TimelineSlice::Source::range: return "range";
      case TimelineSlice::Source::overhead: return "overhead";
      case TimelineSlice::Source::iteration: return "iteration";
      case TimelineSlice::Source::hole: return "hole";
    }
    return "";
  }

  void write_slice(const TimelineSlice& slice) {
    std::string members =
        "\"ph\":\"X\",\"name\":" + json_quote(slice_name(trace_, slice)) + ",\"cat\":\"";
    members += category(slice.source);
    members += "\"," + place(slice.track) + ",\"ts\":" + microseconds(slice.start_ns) +
               ",\"dur\":" + microseconds(slice.end_ns - slice.start_ns);
    if (slice.source == TimelineSlice::Source::op) {
      std::string arguments;
      const auto name = [&](std::string_view key) {
        arguments += (arguments.empty() ? "" : ",") + json_quote(key) + ":";
      };
      describe_op(
          trace_, trace_.ops[slice.row],
          [&](std::string_view key, int64_t value) {
            name(key);
            arguments += std::to_string(value);
          },
          [&](std::string_view key, std::string_view value) {
            name(key);
            arguments += json_quote(value);
          });
      members += ",\"args\":{" + arguments + "}";
    }
    event(members);
  }

  // From a call to each op that it launched.
  void write_launch_arrows() {
    for (uint32_t row = 0; row < trace_.ops.size(); ++row) {
      const Op& op = trace_.ops[row];
      if (op.launch == kNone) continue;
      const auto arrow = [&](const char* phase, uint32_t track, int64_t time_ns) {
        event(format_text(
                  "\"ph\":\"%s\",\"bp\":\"e\",\"id\":%u,\"name\":\"launch\",\"cat\":\"launch\",",
                  phase, row) +
              place(track) + ",\"ts\":" + microseconds(time_ns));
      };
      arrow("s", track_of_call_[op.launch], trace_.calls[op.launch].start_ns);
      arrow("f", track_of_op_[row], op.start_ns);
    }
  }

  void write_samples() {
    for (const Sample& sample : trace_.samples) {
      const std::string of = owner_words(trace_.names[sample.metric], sample.device);
      event("\"ph\":\"C\",\"name\":" +
            json_quote(std::string(trace_.names[sample.metric]) + " " + of) +
            ",\"pid\":0,\"ts\":" + microseconds(sample.time_ns) + ",\"args\":{\"value\":" +
            (sample.value - sample.value == 0 ? format_text("%.17g", sample.value) : "null") + "}");
    }
  }

  void write_allocations() {
    for (const Allocation& step : trace_.allocations) {
      event("\"ph\":\"C\",\"name\":" + json_quote(memory_track_name(step)) +
            ",\"pid\":0,\"ts\":" + microseconds(step.time_ns) +
            ",\"args\":{\"value\":" + std::to_string(step.in_use_bytes) + "}");
    }
  }

  const Trace& trace_;
  Sink& sink_;
  std::vector<uint32_t> track_of_op_, track_of_call_;  // for the arrows between them
  std::vector<uint32_t> group_of_track_;
  bool first_ = true;
};

class ChromeExporter final : public Exporter {
 public:
  const char* name() const override { return "chrome"; }
  const char* suffix() const override { return ".json"; }
  const char* about() const override {
    return "JSON for chrome://tracing and Perfetto: streams, threads, launches, counters";
  }

  absl::Status write(const ExportedPart& part, Sink& sink) const override {
    ChromeWriter(part.trace, sink).write(part.mined);
    return absl::OkStatus();
  }
};

}  // namespace

std::unique_ptr<Exporter> make_chrome_exporter() { return std::make_unique<ChromeExporter>(); }

}  // namespace deepprof
