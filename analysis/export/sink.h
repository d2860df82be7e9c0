// Where an exporter writes: a new file or stdout, buffered; a file whose name ends in .gz is
// compressed. What is written is not held back, however long. The first error is kept; what follows
// it is dropped, so exporters need not check every call.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "analysis/export/gzip.h"
#include "analysis/export/unfinished_file.h"

namespace deepprof {

// Why a Sink of this path cannot create its file, as far as that shows beforehand: asked before the
// work whose result it takes. Empty: nothing shows.
std::string why_not_created(const std::string& path);

inline bool is_gzip_name(std::string_view path) { return path.ends_with(".gz"); }

class Sink {
 public:
  // "-": stdout. Files are created, never overwritten, and have their name when they are whole;
  // devices and pipes are written to.
  explicit Sink(const std::string& path);
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink();

  void write(std::string_view text);
  // Writes what is buffered and closes; the first error of all. A file that is not finished, or not
  // without an error, is taken away.
  absl::Status finish();

 private:
  void flush(bool last);
  void put(std::string_view bytes);

  std::string path_;
  std::string buffer_;
  int file_ = -1;
  UnfinishedFile unfinished_;
  std::unique_ptr<Gzip> gzip_;  // null: written as it is
  absl::Status status_;
};

}  // namespace deepprof
