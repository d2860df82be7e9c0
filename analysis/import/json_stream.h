// One large JSON document, read front to back in windows: the members of its top object one after
// the other, and long arrays of objects in runs of whole elements. Memory is one window (about 1
// MiB, more only when a single element is larger), whatever the size of the document.
//
//   {"a": 1, "traceEvents": [ {...},{...}, | {...},{...}, | ... ], "b": 2}
//    next_key() take_value()  next_elements()               next_key() ...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/import/byte_stream.h"

namespace deepprof {

class JsonStream {
 public:
  // What may lie readable behind a text handed out (simdjson reads that far).
  static constexpr size_t kPadding = 64;
  enum class Root { object, array };

  // `name` is the file's, for messages. The source must outlive the stream.
  JsonStream(ByteStream& source, std::string name);

  // The document's first bracket; the elements of a root array are read at once with
  // next_elements().
  absl::StatusOr<Root> open();
  // Key of the next member of the top object, or nothing at its end.
  absl::StatusOr<std::optional<std::string>> next_key();
  // The text of a whole value. Values above `most_bytes` are skipped and answered with "".
  absl::StatusOr<std::string> take_value(size_t most_bytes);

  // Steps into the array behind the key just read.
  absl::Status enter_array();
  // "[{...},{...}]": the next whole elements of the array entered, kPadding bytes readable behind
  // them, writable, valid until the next call; empty at the array's end.
  struct Elements {
    char* data = nullptr;
    size_t size = 0;
    uint64_t offset = 0;  // of the first element, in the document
  };
  absl::StatusOr<Elements> next_elements();

  // Behind the document: an error where more follows than blanks (or zeros: a file's unused end).
  absl::Status close();

  // Position in the decompressed document of the next byte that has not been handed out.
  uint64_t offset() const { return base_ + begin_; }
  absl::Status error(std::string_view what) const;
  const std::string& name() const { return name_; }

 private:
  static constexpr size_t kWindow = size_t{1} << 20;
  static constexpr size_t kLargestElement = size_t{1} << 28;

  absl::Status fill();  // moves the rest to the front and reads on, growing a full window
  absl::StatusOr<char> skip_blanks();
  absl::Status run_over_value(std::string* keep, size_t most_bytes);
  void give_back_borrowed();

  ByteStream& source_;
  std::string name_;
  std::vector<char> window_;  // [0] is spare: the '[' put before a run
  size_t begin_ = 1, end_ = 1;
  uint64_t base_ = 0;  // document offset of window_[0]
  bool at_end_ = false;
  bool first_member_ = true;
  size_t borrowed_at_ = 0;  // byte behind a run that was overwritten with ']'
  char borrowed_ = 0;
};

}  // namespace deepprof
