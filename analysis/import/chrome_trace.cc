#include "analysis/import/chrome_trace.h"

#include "analysis/import/byte_stream.h"
#include "analysis/import/json_stream.h"
#include "analysis/import/message.h"

namespace deepprof {
namespace {

// Members around the events that are larger than this hold no facts (stack tables and the like).
constexpr size_t kLargestMember = size_t{4} << 20;

// JSON forbids raw control characters in strings and bytes that are not UTF-8, yet both occur in
// kernel and operator names. A space or a question mark in their place keeps the event.
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

class ChromeTraceReader {
 public:
  ChromeTraceReader(ByteStream& source, const std::string& path, const LoadOptions& options,
                    ChromeTraceHandler& handler)
      : source_(source), stream_(source, path), options_(options), handler_(handler) {}

  absl::Status read() {
    auto root = stream_.open();
    if (!root.ok()) return root.status();
    const absl::Status done = *root == JsonStream::Root::array ? read_events() : read_members();
    if (!done.ok()) return done;
    if (found_events_) return stream_.close();
    return stream_.error("no \"traceEvents\" member: expected a Chrome trace; the text ends");
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
      handler_.member(**key, *value);
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

  // Parses a run of elements. `done`: elements dealt with already, skipped on the second try.
  simdjson::error_code parse(const JsonStream::Elements& elements, size_t& done) {
    simdjson::ondemand::document document;
    if (const auto error =
            parser_.iterate(elements.data, elements.size, elements.size + JsonStream::kPadding)
                .get(document)) {
      return error;
    }
    simdjson::ondemand::array array;
    if (const auto error = document.get_array().get(array)) return error;
    size_t at = 0;
    for (auto item : array) {
      simdjson::ondemand::value value;
      if (const auto error = std::move(item).get(value)) return error;
      if (at++ < done) continue;
      if (const auto error = parse_element(value)) return error;
      done = at;
    }
    return simdjson::SUCCESS;
  }

  simdjson::error_code parse_element(simdjson::ondemand::value value) {
    simdjson::ondemand::object object;
    const auto wrong = value.get_object().get(object);
    if (wrong == simdjson::INCORRECT_TYPE) return simdjson::SUCCESS;  // null and other fillers
    if (wrong != simdjson::SUCCESS) return wrong;
    ChromeEvent event;
    if (const auto error = read_chrome_event(object, handler_, event)) return error;
    handler_.event(event);
    return simdjson::SUCCESS;
  }

  ByteStream& source_;
  JsonStream stream_;
  const LoadOptions& options_;
  ChromeTraceHandler& handler_;
  simdjson::ondemand::parser parser_;
  bool found_events_ = false;
};

}  // namespace

absl::Status read_chrome_trace(const std::string& path, const LoadOptions& options,
                               ChromeTraceHandler& handler) {
  auto source = open_source(path);
  if (!source.ok()) return source.status();
  return ChromeTraceReader(**source, path, options, handler).read();
}

bool looks_like_json(std::string_view head) {
  if (head.substr(0, 3) == "\xEF\xBB\xBF") head.remove_prefix(3);
  const size_t first = head.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (head[first] == '{' || head[first] == '[');
}

}  // namespace deepprof
