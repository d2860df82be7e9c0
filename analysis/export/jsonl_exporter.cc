// --to jsonl: one JSON object a line for each GPU op, call, wait, range, overhead, sample and
// step of allocation.
#include "analysis/export/exporter.h"
#include "analysis/export/op_columns.h"
#include "analysis/export/range_source.h"
#include "analysis/report/render.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

class Line {
 public:
  Line& number(std::string_view key, int64_t value) { return raw(key, std::to_string(value)); }
  Line& text(std::string_view key, std::string_view value) { return raw(key, json_quote(value)); }
  Line& raw(std::string_view key, std::string_view json) {
    text_ += (text_.empty() ? "{" : ",") + json_quote(key) + ":";
    text_ += json;
    return *this;
  }
  std::string end() { return text_ + "}\n"; }

 private:
  std::string text_;
};

class JsonlExporter final : public Exporter {
 public:
  const char* name() const override { return "jsonl"; }
  const char* suffix() const override { return ".jsonl"; }
  const char* about() const override {
    return "one JSON object a line: ops, calls, ranges, overheads, samples, allocations";
  }

  bool writes_iterations() const override { return false; }
  absl::Status write(const ExportedPart& part, Sink& sink) const override {
    const Trace& trace = part.trace;
    for (const Op& op : trace.ops) sink.write(op_line(trace, op));
    for (const HostCall& call : trace.calls) sink.write(call_line(trace, call));
    for (const Range& range : trace.ranges) sink.write(range_line(trace, range));
    for (const Overhead& overhead : trace.overheads)
      sink.write(span("overhead", trace, overhead).end());
    for (const Sample& sample : trace.samples) sink.write(sample_line(trace, sample));
    for (const Allocation& step : trace.allocations) sink.write(allocation_line(step));
    return absl::OkStatus();
  }

 private:
  template <typename Row>
  static Line span(std::string_view row, const Trace& trace, const Row& from) {
    Line line;
    line.text("row", row).text("name", trace.names[from.name]);
    line.number("start_ns", from.start_ns).number("duration_ns", from.duration_ns);
    return line;
  }
  static std::string op_line(const Trace& trace, const Op& op) {
    Line line = span("op", trace, op);
    describe_op(
        trace, op, [&](std::string_view key, int64_t value) { line.number(key, value); },
        [&](std::string_view key, std::string_view value) { line.text(key, value); });
    return line.end();
  }
  static std::string call_line(const Trace& trace, const HostCall& call) {
    Line line = span(call.kind == Kind::sync ? "wait" : "call", trace, call);
    add_tid(trace, call.thread, line);
    if (call.correlation != 0) line.number("correlation", call.correlation);
    if (call.stream != kNone) line.number("stream", call.stream);
    return line.end();
  }
  static std::string range_line(const Trace& trace, const Range& range) {
    Line line = span("range", trace, range);
    add_tid(trace, range.thread, line);
    return line.number("thread", range.thread)
        .text("source", range_source_name(range.source))
        .end();
  }
  static void add_tid(const Trace& trace, uint32_t thread, Line& line) {
    if (thread >= trace.threads.size()) return;
    line.raw("tid",
             format_text("%llu", static_cast<unsigned long long>(trace.threads[thread].tid)));
  }
  static std::string allocation_line(const Allocation& step) {
    Line line;
    line.text("row", "allocation")
        .text("memory_kind", allocation_kind_name(step.kind))
        .text("step", allocation_step_name(step.step))
        .number("time_ns", step.time_ns);
    if (step.device != kHostDevice) line.number("device", step.device);
    line.number("piece_bytes", static_cast<int64_t>(step.bytes))
        .number("in_use_bytes", static_cast<int64_t>(step.in_use_bytes));
    line.text("address", format_text("0x%llx", static_cast<unsigned long long>(step.address)));
    if (step.correlation != 0) line.number("correlation", step.correlation);
    return line.end();
  }
  static std::string sample_line(const Trace& trace, const Sample& sample) {
    Line line;
    line.text("row", "sample")
        .text("metric", trace.names[sample.metric])
        .number("time_ns", sample.time_ns);
    if (sample.device != kHostDevice) line.number("device", sample.device);
    // JSON has no words for infinities and not-a-number.
    const bool finite = sample.value - sample.value == 0;
    return line.raw("value", finite ? format_text("%.17g", sample.value) : "null").end();
  }
};

}  // namespace

std::unique_ptr<Exporter> make_jsonl_exporter() { return std::make_unique<JsonlExporter>(); }

}  // namespace deepprof
