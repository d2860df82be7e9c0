#include "analysis/import/json_stream.h"

#include <algorithm>
#include <cstring>

#include "analysis/import/json_scanner.h"
#include "analysis/import/message.h"

namespace deepprof {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

// window_[0] stands for the document's offset -1, so that the spare byte needs no special case.
JsonStream::JsonStream(ByteStream& source, std::string name)
    : source_(source),
      name_(std::move(name)),
      window_(kWindow + kPadding),
      base_(static_cast<uint64_t>(-1)) {}

absl::Status JsonStream::error(std::string_view what) const {
  return bad_input(name_, ": ", what, " at byte ", offset(), " of the JSON text");
}

absl::Status JsonStream::fill() {
  if (begin_ == 1 && end_ + kPadding == window_.size()) {
    if (window_.size() > kLargestElement)
      return error("a single value of more than 256 MiB begins");
    window_.resize(2 * window_.size());
  }
  std::memmove(window_.data() + 1, window_.data() + begin_, end_ - begin_);
  base_ += begin_ - 1;
  end_ -= begin_ - 1;
  begin_ = 1;
  const size_t room = window_.size() - kPadding - end_;
  auto got = source_.read(window_.data() + end_, room);
  if (!got.ok()) return got.status();
  end_ += *got;
  at_end_ = *got < room;
  std::memset(window_.data() + end_, 0, kPadding);
  return absl::OkStatus();
}

absl::StatusOr<char> JsonStream::skip_blanks() {
  for (;;) {
    while (begin_ < end_ && is_blank(window_[begin_])) ++begin_;
    if (begin_ < end_) return window_[begin_];
    if (at_end_) return error("the text ends too early (truncated?)");
    if (absl::Status filled = fill(); !filled.ok()) return filled;
  }
}

absl::StatusOr<JsonStream::Root> JsonStream::open() {
  if (absl::Status filled = fill(); !filled.ok()) return filled;
  if (end_ - begin_ >= 3 && std::memcmp(window_.data() + begin_, "\xEF\xBB\xBF", 3) == 0)
    begin_ += 3;
  auto first = skip_blanks();
  if (!first.ok()) return first.status();
  if (*first != '{' && *first != '[') return error("expected '{' or '[' of a JSON trace");
  ++begin_;
  return *first == '{' ? Root::object : Root::array;
}

absl::StatusOr<std::optional<std::string>> JsonStream::next_key() {
  auto next = skip_blanks();
  if (!next.ok()) return next.status();
  if (*next == ',' && !first_member_) {
    ++begin_;
    next = skip_blanks();
    if (!next.ok()) return next.status();
  }
  first_member_ = false;
  if (*next == '}') {
    ++begin_;
    return std::nullopt;
  }
  if (*next != '"') return error("expected a member's name in quotes");
  std::string key;
  if (absl::Status read = run_over_value(&key, kWindow); !read.ok()) return read;
  auto colon = skip_blanks();
  if (!colon.ok()) return colon.status();
  if (*colon != ':') return error("expected ':' behind a member's name");
  ++begin_;
  return key.size() >= 2 ? key.substr(1, key.size() - 2) : key;
}

// Byte by byte: only the small members around the events come this way.
absl::Status JsonStream::run_over_value(std::string* keep, size_t most_bytes) {
  int64_t depth = 0;
  bool in_string = false, escaped = false, any = false;
  for (;; ++begin_) {
    if (begin_ == end_) {
      if (at_end_) return error("the text ends inside a value (truncated?)");
      if (absl::Status filled = fill(); !filled.ok()) return filled;
      if (begin_ == end_) return error("the text ends inside a value (truncated?)");
    }
    const char c = window_[begin_];
    const bool bare = !in_string && depth == 0;
    if (bare && any && (c == ',' || c == '}' || c == ']' || c == ':' || is_blank(c)))
      return absl::OkStatus();
    any = true;
    if (keep->size() <= most_bytes) keep->push_back(c);
    if (in_string) {
      in_string = escaped || c != '"';
      escaped = !escaped && c == '\\';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    }
    if (depth < 0) return error("expected a value");
    if (depth == 0 && !in_string && (c == '"' || c == '}' || c == ']')) {
      ++begin_;
      return absl::OkStatus();
    }
  }
}

absl::StatusOr<std::string> JsonStream::take_value(size_t most_bytes) {
  auto first = skip_blanks();
  if (!first.ok()) return first.status();
  std::string text;
  if (absl::Status read = run_over_value(&text, most_bytes); !read.ok()) return read;
  if (text.size() > most_bytes) text.clear();
  return text;
}

absl::Status JsonStream::enter_array() {
  auto first = skip_blanks();
  if (!first.ok()) return first.status();
  if (*first != '[') return error("expected '[' of an array");
  ++begin_;
  return absl::OkStatus();
}

absl::Status JsonStream::close() {
  for (;;) {
    while (begin_ < end_ && (is_blank(window_[begin_]) || window_[begin_] == '\0')) ++begin_;
    if (begin_ < end_)
      return error("more follows the end of the trace, expected one JSON document; it begins");
    if (at_end_) return absl::OkStatus();
    if (absl::Status filled = fill(); !filled.ok()) return filled;
  }
}

void JsonStream::give_back_borrowed() {
  if (borrowed_at_ != 0) window_[borrowed_at_] = borrowed_;
  borrowed_at_ = 0;
}

absl::StatusOr<JsonStream::Elements> JsonStream::next_elements() {
  give_back_borrowed();
  auto next = skip_blanks();
  if (next.ok() && *next == ',') {
    ++begin_;
    next = skip_blanks();
  }
  if (!next.ok()) return next.status();
  if (*next == ']') {
    ++begin_;
    return Elements{};
  }
  // A fresh window for every run: the part of an element that was cut off last time is scanned
  // twice.
  for (;;) {
    const size_t size = end_ - begin_;
    const bool enough = size + kPadding + 1 >= window_.size() / 2;
    if (!at_end_ && !enough) {
      if (absl::Status filled = fill(); !filled.ok()) return filled;
    }
    const ElementScan scan = scan_elements({window_.data() + begin_, end_ - begin_});
    const size_t length = scan.closed ? scan.close : scan.end;
    if (length == 0) {
      if (at_end_)
        return error(
            "the text ends inside an event, expected ']' behind the last one (truncated?); it "
            "begins");
      if (absl::Status filled = fill(); !filled.ok()) return filled;
      continue;
    }
    const Elements run{window_.data() + begin_ - 1, length + 2, offset()};
    run.data[0] = '[';
    begin_ += length;
    borrowed_at_ = begin_;
    borrowed_ = window_[begin_];
    window_[begin_] = ']';
    return run;
  }
}

}  // namespace deepprof
