// A SQLite file read table by table, for importers of tools that export to SQLite. Read only;
// columns that a version of the tool does not write yet read as NULL.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

struct sqlite3;
struct sqlite3_stmt;

namespace deepprof {

// The row at hand, by the position of the column asked for.
class SqliteRow {
 public:
  explicit SqliteRow(sqlite3_stmt* statement) : statement_(statement) {}

  std::optional<int64_t> integer(int column) const;
  int64_t integer_or(int column, int64_t otherwise) const {
    return integer(column).value_or(otherwise);
  }
  std::string_view text(int column) const;  // valid until the next row

 private:
  sqlite3_stmt* statement_;
};

class SqliteFile {
 public:
  static absl::StatusOr<std::unique_ptr<SqliteFile>> open(const std::string& path);
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;
  ~SqliteFile();

  bool has_table(const std::string& table) const { return !columns_of(table).empty(); }
  int64_t count_rows(const std::string& table) const;  // 0 without the table

  // Calls `visit` for every row, with these columns in this order. No table: no row, no error.
  absl::Status each(const std::string& table, const std::vector<std::string>& columns,
                    const std::function<void(const SqliteRow&)>& visit) const;

 private:
  SqliteFile(std::string path, sqlite3* database) : path_(std::move(path)), database_(database) {}
  std::vector<std::string> columns_of(const std::string& table) const;

  std::string path_;
  std::string content_;  // of a compressed file, which the database then reads from memory
  sqlite3* database_;
};

}  // namespace deepprof
