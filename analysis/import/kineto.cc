// Kineto / Chrome-trace JSON, as torch.profiler writes it: {"traceEvents": [...], "deviceProperties": ...}
// or a bare array of events.
#include <algorithm>
#include <cstring>

#include "analysis/import/byte_source.h"
#include "analysis/import/chrome_event.h"
#include "analysis/import/decimal.h"
#include "analysis/import/importer.h"
#include "analysis/import/json_stream.h"
#include "analysis/import/kineto_events.h"
#include "analysis/import/kineto_members.h"
#include "analysis/import/message.h"

namespace deepprof {
namespace {

// Members around the events that are larger than this hold no facts (stack tables and the like).
constexpr size_t kLargestMember = size_t{4} << 20;

class KinetoSelector final : public EventSelector {
 public:
  Reading reading(char phase, std::string_view category) const override {
    if (phase == 'M') return Reading::everything;
    if (phase != 'X') return Reading::ignore;
    switch (kineto_event(category)) {
      case KinetoEvent::ignored: return Reading::ignore;
      case KinetoEvent::annotation:
      case KinetoEvent::framework_op:
      case KinetoEvent::python:
      case KinetoEvent::overhead: return Reading::times;
      default: return Reading::everything;
    }
  }
};

// JSON forbids raw control characters in strings and bytes that are not UTF-8, yet both occur in kernel
// and operator names. A space or a question mark in their place keeps the event.
void mend_text(JsonStream::Elements& elements) {
  for (size_t at = 0; at < elements.size;) {
    const std::string_view rest(elements.data + at, elements.size - at);
    const auto byte = static_cast<unsigned char>(rest[0]);
    if (byte < 0x80) {
      if (byte < 0x20) elements.data[at] = ' ';
      ++at;
      continue;
    }
    const size_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2;
    if (rest.size() >= length && simdjson::validate_utf8(rest.data(), length)) {
      at += length;
    } else {
      elements.data[at++] = '?';
    }
  }
}

class KinetoReader {
 public:
  KinetoReader(ByteSource& source, const std::string& path, const LoadOptions& options)
      : source_(source), stream_(source, path), options_(options), events_(trace_) {}

  absl::StatusOr<Trace> read() {
    auto root = stream_.open();
    if (!root.ok()) return root.status();
    const absl::Status done = *root == JsonStream::Root::array ? read_events() : read_members();
    if (!done.ok()) return done;
    if (!found_events_) return stream_.error("no \"traceEvents\" member: expected a Chrome trace; the text ends");
    if (trace_.ops.empty() && trace_.calls.empty() && trace_.ranges.empty()) {
      return stream_.error("no GPU op, API call or operator among the trace events; the text ends");
    }
    events_.finish();
    trace_.process.source = "Kineto";
    trace_.finish();
    return std::move(trace_);
  }

 private:
  absl::Status read_members() {
    for (;;) {
      auto key = stream_.next_key();
      if (!key.ok()) return key.status();
      if (!key->has_value()) return absl::OkStatus();
      if (**key == "traceEvents") {
        if (absl::Status in = stream_.enter_array(); !in.ok()) return in;
        if (absl::Status events = read_events(); !events.ok()) return events;
        continue;
      }
      auto value = stream_.take_value(kLargestMember);
      if (!value.ok()) return value.status();
      read_kineto_member(**key, *value, trace_);
    }
  }

  absl::Status read_events() {
    found_events_ = true;
    for (;;) {
      auto elements = stream_.next_elements();
      if (!elements.ok()) return elements.status();
      if (elements->size == 0) return absl::OkStatus();
      if (absl::Status run = read_run(*elements); !run.ok()) return run;
      if (options_.progress) options_.progress(source_.progress());
    }
  }

  absl::Status read_run(JsonStream::Elements elements) {
    size_t done = 0;
    simdjson::error_code error = parse(elements, done);
    if (error == simdjson::UTF8_ERROR || error == simdjson::UNESCAPED_CHARS) {
      mend_text(elements);
      error = parse(elements, done);
    }
    if (error == simdjson::SUCCESS) return absl::OkStatus();
    return bad_input(stream_.name(), ": malformed JSON in an event behind byte ", elements.offset,
                     " of the JSON text (", simdjson::error_message(error), ")");
  }

  // Parses a run of elements. `done`: events handed over already, skipped on the second try.
  simdjson::error_code parse(const JsonStream::Elements& elements, size_t& done) {
    simdjson::ondemand::document document;
    if (const auto error =
            parser_.iterate(elements.data, elements.size, elements.size + JsonStream::kPadding).get(document)) {
      return error;
    }
    simdjson::ondemand::array array;
    if (const auto error = document.get_array().get(array)) return error;
    size_t at = 0;
    for (auto item : array) {
      simdjson::ondemand::value value;
      if (const auto error = std::move(item).get(value)) return error;
      if (at++ < done) continue;
      simdjson::ondemand::object object;
      const auto wrong = value.get_object().get(object);
      if (wrong == simdjson::INCORRECT_TYPE) continue;  // null and other fillers
      if (wrong != simdjson::SUCCESS) return wrong;
      ChromeEvent event;
      if (const auto error = read_chrome_event(object, selector_, event)) return error;
      events_.add(event);
      ++done;
    }
    return simdjson::SUCCESS;
  }

  ByteSource& source_;
  JsonStream stream_;
  const LoadOptions& options_;
  Trace trace_;
  KinetoEvents events_;
  KinetoSelector selector_;
  simdjson::ondemand::parser parser_;
  bool found_events_ = false;
};

class KinetoImporter final : public Importer {
 public:
  std::string_view format() const override { return "Kineto JSON"; }

  bool recognises(std::string_view head) const override {
    if (head.substr(0, 3) == "\xEF\xBB\xBF") head.remove_prefix(3);
    const size_t first = head.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && (head[first] == '{' || head[first] == '[');
  }

  absl::StatusOr<Trace> load(const std::string& path, const LoadOptions& options) const override {
    auto source = open_source(path);
    if (!source.ok()) return source.status();
    return KinetoReader(**source, path, options).read();
  }
};

}  // namespace

std::unique_ptr<Importer> make_kineto_importer() { return std::make_unique<KinetoImporter>(); }

}  // namespace deepprof
