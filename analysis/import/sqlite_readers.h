// The tools whose SQLite files are read. Their tables have the same names in part, so they are
// asked in the order of sqlite.cc.
#pragma once

#include "absl/status/statusor.h"
#include "analysis/import/load.h"
#include "analysis/import/sqlite_file.h"
#include "analysis/model/trace.h"

namespace deepprof {

// nvprof -o FILE, and the NVIDIA Visual Profiler.
bool holds_nvprof_tables(const SqliteFile& file);
absl::StatusOr<Trace> read_nvprof(const SqliteFile& file, const LoadOptions& options);

// nsys export --type sqlite.
bool holds_nsys_tables(const SqliteFile& file);
absl::StatusOr<Trace> read_nsys(const SqliteFile& file, const LoadOptions& options);

}  // namespace deepprof
