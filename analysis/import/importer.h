// The family of importers: one file a member, one visible list (importers.cc). An importer
// recognises its format from the first bytes of the content, never from a file's name, and fills
// the trace model.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/import/load.h"
#include "analysis/model/trace.h"

namespace deepprof {

inline constexpr size_t kSniffedBytes = 64 * 1024;

class Importer {
 public:
  virtual ~Importer() = default;

  // For messages: "Kineto JSON".
  virtual std::string_view format() const = 0;

  // `head` holds the first bytes of the content, decompressed, at most kSniffedBytes.
  virtual bool recognises(std::string_view head) const = 0;

  // Reads the file (compressed or not) into a finished trace. An error is one line that names the
  // file, the offset and what was expected there.
  virtual absl::StatusOr<Trace> load(const std::string& path, const LoadOptions& options) const = 0;
};

// Every importer, in the order in which they are asked.
const std::vector<std::unique_ptr<Importer>>& importers();

std::unique_ptr<Importer> make_dprof_importer();
std::unique_ptr<Importer> make_sqlite_importer();
std::unique_ptr<Importer> make_xplane_importer();
std::unique_ptr<Importer> make_nvprof_csv_importer();
std::unique_ptr<Importer> make_tf_timeline_importer();
std::unique_ptr<Importer> make_kineto_importer();

}  // namespace deepprof
