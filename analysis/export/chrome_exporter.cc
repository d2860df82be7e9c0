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

class ChromeWriter {
 public:
  ChromeWriter(const Trace& trace, const Timeline& timeline, Sink& sink)
      : trace_(trace), timeline_(timeline), sink_(sink) {}

  void write() {
    sink_.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    write_groups();
    for (const TimelineSlice& slice : timeline_.slices) write_slice(slice);
    write_launch_arrows();
    write_samples();
    sink_.write("\n]}\n");
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
  void write_groups() {
    for (uint32_t group = 0; group < timeline_.groups.size(); ++group) {
      metadata("process_name", group, 0, "\"name\":" + json_quote(timeline_.groups[group]));
      metadata("process_sort_index", group, 0, format_text("\"sort_index\":%u", group));
    }
    for (uint32_t track = 0; track < timeline_.tracks.size(); ++track) {
      const TimelineTrack& known = timeline_.tracks[track];
      metadata("thread_name", known.group, track, "\"name\":" + json_quote(known.name));
      metadata("thread_sort_index", known.group, track,
               format_text("\"sort_index\":%d", known.order));
    }
  }
  // Where a slice lies, as its pid and tid.
  std::string place(uint32_t track) const {
    return format_text("\"pid\":%u,\"tid\":%u", timeline_.tracks[track].group + 1, track + 1);
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
    std::vector<uint32_t> track_of_call(trace_.calls.size(), kNone);
    for (const TimelineSlice& slice : timeline_.slices) {
      if (slice.source == TimelineSlice::Source::call) track_of_call[slice.row] = slice.track;
    }
    for (const TimelineSlice& slice : timeline_.slices) {
      if (slice.source != TimelineSlice::Source::op) continue;
      const Op& op = trace_.ops[slice.row];
      if (op.launch == kNone) continue;
      const auto arrow = [&](const char* phase, uint32_t track, int64_t time_ns) {
        event(format_text(
                  "\"ph\":\"%s\",\"bp\":\"e\",\"id\":%u,\"name\":\"launch\",\"cat\":\"launch\",",
                  phase, slice.row) +
              place(track) + ",\"ts\":" + microseconds(time_ns));
      };
      arrow("s", track_of_call[op.launch], trace_.calls[op.launch].start_ns);
      arrow("f", slice.track, op.start_ns);
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

  const Trace& trace_;
  const Timeline& timeline_;
  Sink& sink_;
  bool first_ = true;
};

class ChromeExporter final : public Exporter {
 public:
  const char* name() const override { return "chrome"; }
  const char* suffix() const override { return ".json"; }
  const char* about() const override {
    return "JSON for chrome://tracing and Perfetto: streams, threads, launches, counters";
  }

  absl::Status write(const Trace& trace, const Mined& mined, Sink& sink) const override {
    const Timeline timeline = lay_out(trace, mined);
    ChromeWriter(trace, timeline, sink).write();
    return absl::OkStatus();
  }
};

}  // namespace

std::unique_ptr<Exporter> make_chrome_exporter() { return std::make_unique<ChromeExporter>(); }

}  // namespace deepprof
