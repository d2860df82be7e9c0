// SQLite files: which tool's tables are in it says who reads it.
#include "analysis/import/importer.h"
#include "analysis/import/message.h"
#include "analysis/import/sqlite_readers.h"

namespace deepprof {
namespace {

class SqliteImporter final : public Importer {
 public:
  std::string_view format() const override { return "SQLite of Nsight Systems or nvprof"; }
  bool recognises(std::string_view head) const override {
    return head.starts_with("SQLite format 3");
  }

  absl::StatusOr<Trace> load(const std::string& path, const LoadOptions& options) const override {
    auto file = SqliteFile::open(path);
    if (!file.ok()) return file.status();
    if (holds_nvprof_tables(**file)) return read_nvprof(**file, options);
    if (holds_nsys_tables(**file)) return read_nsys(**file, options);
    return bad_input(path,
                     ": a SQLite file without tables CUPTI_ACTIVITY_KIND_...: expected what "
                     "`nsys export --type sqlite` or `nvprof -o` writes");
  }
};

}  // namespace

std::unique_ptr<Importer> make_sqlite_importer() { return std::make_unique<SqliteImporter>(); }

}  // namespace deepprof
