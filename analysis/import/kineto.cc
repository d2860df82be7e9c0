// Kineto / Chrome-trace JSON, as torch.profiler writes it: {"traceEvents": [...],
// "deviceProperties": ...} or a bare array of events.
#include "analysis/import/chrome_trace.h"
#include "analysis/import/importer.h"
#include "analysis/import/kineto_events.h"
#include "analysis/import/kineto_members.h"
#include "analysis/import/message.h"
#include "analysis/model/facts.h"
#include "analysis/model/incomplete.h"

namespace deepprof {
namespace {

class KinetoHandler final : public ChromeTraceHandler {
 public:
  explicit KinetoHandler(Trace& trace) : trace_(trace), events_(trace) {}

  Reading reading(char phase, std::string_view category) const override {
    if (phase == 'M' || phase == 'i') return Reading::everything;
    if (phase != 'X') return Reading::ignore;
    switch (kineto_event(category)) {
      case KinetoEvent::ignored: return Reading::ignore;
      case KinetoEvent::annotation:
      case KinetoEvent::framework_op:
      case KinetoEvent::python:
      case KinetoEvent::other_device:
      case KinetoEvent::overhead: return Reading::times;
      default: return Reading::everything;
    }
  }
  void event(const ChromeEvent& event) override { events_.add(event); }
  void member(std::string_view key, std::string_view value) override {
    read_kineto_member(key, value, trace_);
  }
  bool is_of_ascend() const { return events_.names_process("Ascend Hardware"); }
  void finish() { events_.finish(); }

 private:
  Trace& trace_;
  KinetoEvents events_;
};

class KinetoImporter final : public Importer {
 public:
  std::string_view format() const override { return "Kineto JSON"; }
  bool recognises(std::string_view head) const override { return looks_like_json(head); }

  absl::StatusOr<Trace> load(const std::string& path, const LoadOptions& options) const override {
    Trace trace;
    KinetoHandler handler(trace);
    if (absl::Status read = read_chrome_trace(path, options, handler); !read.ok()) return read;
    if (trace.ops.empty() && handler.is_of_ascend()) {
      return bad_input(
          path,
          " is a trace of Ascend NPUs (torch_npu), whose hardware tracks are not read: "
          "DeepProf knows NVIDIA's and AMD's GPUs");
    }
    handler.finish();
    if (trace.ops.empty() && trace.calls.empty() && trace.ranges.empty() &&
        trace.allocations.empty()) {
      if (const std::string* unread = find_fact(trace, kUnreadDevice); unread != nullptr)
        return bad_input(path, ": no GPU op; ", *unread);
      return bad_input(path,
                       ": no GPU op, API call, operator or step of memory among its trace events: "
                       "expected a trace of torch.profiler");
    }
    trace.process.source = "Kineto";
    trace.finish();
    return trace;
  }
};

}  // namespace

std::unique_ptr<Importer> make_kineto_importer() { return std::make_unique<KinetoImporter>(); }

}  // namespace deepprof
