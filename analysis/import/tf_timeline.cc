// TensorFlow 1's timeline (tensorflow.python.client.timeline): Chrome JSON whose "processes" are
// devices and streams. It holds ops and times, no launches: "/gpu:0/stream:12 Compute" are the
// GPU's rows, "/gpu:0/memcpy Compute" repeats those of them that are copies, "/job:..." are the
// framework's ops.
#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <tuple>

#include "analysis/import/chrome_trace.h"
#include "analysis/import/decimal.h"
#include "analysis/import/distinct_details.h"
#include "analysis/import/importer.h"
#include "analysis/import/memory_names.h"
#include "analysis/import/message.h"
#include "analysis/import/thread_table.h"
#include "analysis/model/incomplete.h"

namespace deepprof {
namespace {

struct TimelineEvent {
  int64_t start_ns, duration_ns;
  int64_t process;
  std::string thread;
  NameId name;

  std::tuple<int64_t, int64_t, NameId> place() const { return {start_ns, duration_ns, name}; }
};

// The number behind `word` in the text, in either case ("/gpu:0", "/device:GPU:0").
std::optional<int64_t> number_behind(std::string_view text, std::string_view word) {
  const auto found =
      std::search(text.begin(), text.end(), word.begin(), word.end(),
                  [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
  if (found == text.end()) return std::nullopt;
  std::string_view digits = text.substr(static_cast<size_t>(found - text.begin()) + word.size());
  digits = digits.substr(0, digits.find_first_not_of("0123456789"));
  return integer_of(digits);
}

class TimelineHandler final : public ChromeTraceHandler {
 public:
  explicit TimelineHandler(Trace& trace) : trace_(trace), details_(trace), threads_(trace) {}

  Reading reading(char phase, std::string_view) const override {
    return phase == 'X' || phase == 'M' ? Reading::everything : Reading::ignore;
  }
  void event(const ChromeEvent& event) override {
    const auto process = integer_of(event.pid.text);
    if (event.phase == 'M' && event.name.text == "process_name" && process) {
      rows_[*process] = event.arg_name.decoded();
    }
    if (event.phase != 'X') return;
    const auto start = decimal_shifted(event.ts, 3), duration = decimal_shifted(event.dur, 3);
    if (!start || !duration || !process) {
      ++trace_.losses[Loss::import_skipped];
      return;
    }
    // "MatMul|layer_1/fully_connected/MatMul": the kind of op alone would make all layers equal.
    std::string name = event.name.decoded();
    if (!event.arg_name.text.empty()) name += "|" + event.arg_name.decoded();
    events_.push_back(
        {*start, *duration, *process, event.tid.decoded(), trace_.names.intern(name)});
  }
  void member(std::string_view, std::string_view) override {}

  // Rows are named anywhere in the file, so events wait until it has ended.
  void finish() {
    for (const TimelineEvent& event : events_) {
      if (rows_[event.process].find("/memcpy") != std::string::npos) copies_.insert(event.place());
    }
    for (const TimelineEvent& event : events_) add(event, rows_[event.process]);
    if (placed_on_gpu_ == 0 || !trace_.ops.empty()) return;
    trace_.process.facts.emplace_back(
        kUnreadDevice, std::to_string(placed_on_gpu_) +
                           " of the framework's ops are placed on a GPU, but no row of its streams "
                           "is there: take the timeline where TensorFlow can load CUPTI "
                           "(trace_level=FULL_TRACE)");
  }

 private:
  void add(const TimelineEvent& event, const std::string& row) {
    const auto device = number_behind(row, "gpu:"), stream = number_behind(row, "/stream:");
    if (row.starts_with("/job:")) {
      placed_on_gpu_ += device.has_value();
      trace_.ranges.push_back({event.start_ns, event.duration_ns, event.name,
                               threads_.index(row, event.thread), RangeSource::framework_op});
    } else if (device && stream && *device <= UINT16_MAX) {  // "stream:all" repeats the others
      Op op;
      op.start_ns = event.start_ns;
      op.duration_ns = event.duration_ns;
      op.name = event.name;
      op.device = static_cast<uint16_t>(*device);
      op.stream = static_cast<uint32_t>(*stream);
      op.kind = copies_.count(event.place()) != 0 ? Kind::memcpy : Kind::kernel;
      if (op.kind == Kind::memcpy) {
        Detail detail;
        detail.copy_kind = copy_kind_of(trace_.names[event.name]);
        op.detail = details_.intern(detail);
      }
      trace_.ops.push_back(op);
    }
  }

  Trace& trace_;
  DistinctDetails details_;
  ThreadTable threads_;
  std::vector<TimelineEvent> events_;
  std::map<int64_t, std::string> rows_;
  uint64_t placed_on_gpu_ = 0;  // the framework's ops
  std::set<std::tuple<int64_t, int64_t, NameId>> copies_;
};

class TimelineImporter final : public Importer {
 public:
  std::string_view format() const override { return "TensorFlow timeline JSON"; }

  bool recognises(std::string_view head) const override {
    return looks_like_json(head) && head.find("process_name") != std::string_view::npos &&
           (head.find("/stream:") != std::string_view::npos ||
            head.find("\"/job:") != std::string_view::npos);
  }

  absl::StatusOr<Trace> load(const std::string& path, const LoadOptions& options) const override {
    Trace trace;
    TimelineHandler handler(trace);
    if (absl::Status read = read_chrome_trace(path, options, handler); !read.ok()) return read;
    handler.finish();
    if (trace.ops.empty() && trace.ranges.empty()) {
      return bad_input(path, ": no op on a stream or device: expected a timeline of TensorFlow");
    }
    trace.process.source = "TensorFlow timeline";
    trace.finish();
    return trace;
  }
};

}  // namespace

std::unique_ptr<Importer> make_tf_timeline_importer() {
  return std::make_unique<TimelineImporter>();
}

}  // namespace deepprof
