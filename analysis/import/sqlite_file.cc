#include "analysis/import/sqlite_file.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "analysis/import/byte_stream.h"
#include "analysis/import/message.h"

namespace deepprof {
namespace {

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

Statement prepare(sqlite3* database, const std::string& query) {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database, query.c_str(), static_cast<int>(query.size()), &statement, nullptr);
  return Statement(statement);  // null where the query does not fit the file
}

// How much of a file is missing, as far as its header tells; empty: nothing.
std::string cut_short(const std::string& path) {
  constexpr size_t kHeader_bytes = 100, kPageSizeAt = 16, kPagesAt = 28;
  std::array<unsigned char, kHeader_bytes> header{};
  std::ifstream stream(path, std::ios::binary);
  stream.read(reinterpret_cast<char*>(header.data()), header.size());
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  const auto big_endian = [&](size_t at, size_t bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; ++i) value = value << 8 | header[at + i];
    return value;
  };
  const uint64_t page = big_endian(kPageSizeAt, 2) == 1 ? 65536 : big_endian(kPageSizeAt, 2);
  const uint64_t whole = page * big_endian(kPagesAt, 4);
  if (!stream || error || size >= whole) return {};
  return concat(" (the file ends at byte ", size, ", its header says ", whole, ": cut short)");
}

bool is_packed(const std::string& path) {
  constexpr std::string_view kMagic = "SQLite format 3";
  std::array<char, kMagic.size()> head{};
  std::ifstream stream(path, std::ios::binary);
  stream.read(head.data(), head.size());
  return stream && std::string_view(head.data(), head.size()) != kMagic;
}

// The whole of a compressed file. SQLite reads here and there in a file, a decompressor only ahead.
absl::StatusOr<std::string> unpacked(const std::string& path) {
  auto source = open_source(path);
  if (!source.ok()) return source.status();
  constexpr size_t kBlock = size_t{1} << 20;
  std::string content;
  for (size_t done = 0;;) {
    content.resize(done + kBlock);
    auto got = (*source)->read(content.data() + done, kBlock);
    if (!got.ok()) return got.status();
    done += *got;
    if (*got > 0) continue;
    content.resize(done);
    return content;
  }
}

// Gives a database in memory the content of a file.
int read_from_memory(sqlite3* database, std::string& content) {
  // A log beside the file, which these say to be there, is not there in memory.
  constexpr size_t kWriteVersionAt = 18, kReadVersionAt = 19;
  if (content.size() > kReadVersionAt) content[kWriteVersionAt] = content[kReadVersionAt] = 1;
  const auto size = static_cast<sqlite3_int64>(content.size());
  return sqlite3_deserialize(database, "main", reinterpret_cast<unsigned char*>(content.data()),
                             size, size, SQLITE_DESERIALIZE_READONLY);
}

}  // namespace

std::optional<int64_t> SqliteRow::integer(int column) const {
  if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nullopt;
  return sqlite3_column_int64(statement_, column);
}

std::string_view SqliteRow::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return text == nullptr ? std::string_view()
                         : std::string_view(
                               text, static_cast<size_t>(sqlite3_column_bytes(statement_, column)));
}

absl::StatusOr<std::unique_ptr<SqliteFile>> SqliteFile::open(const std::string& path) {
  sqlite3* database = nullptr;
  const bool packed = is_packed(path);
  int code = packed ? sqlite3_open(":memory:", &database)
                    : sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READONLY, nullptr);
  std::unique_ptr<SqliteFile> file(new SqliteFile(path, database));
  if (packed && code == SQLITE_OK) {
    auto content = unpacked(path);
    if (!content.ok()) return content.status();
    file->content_ = std::move(*content);
    code = read_from_memory(database, file->content_);
  }
  if (code != SQLITE_OK) return bad_input("cannot open ", path, ": ", sqlite3_errstr(code));
  // SQLite reads a file only when it is asked something.
  const Statement first = prepare(database, "SELECT count(*) FROM sqlite_master");
  if (first == nullptr || sqlite3_step(first.get()) != SQLITE_ROW)
    return damaged_input(path, ": ", sqlite3_errmsg(database),
                         packed ? std::string() : cut_short(path));
  return file;
}

SqliteFile::~SqliteFile() { sqlite3_close(database_); }

std::vector<std::string> SqliteFile::columns_of(const std::string& table) const {
  std::vector<std::string> columns;
  const Statement statement = prepare(database_, "PRAGMA table_info(" + table + ")");
  constexpr int kNameColumn = 1;
  while (statement != nullptr && sqlite3_step(statement.get()) == SQLITE_ROW) {
    columns.emplace_back(SqliteRow(statement.get()).text(kNameColumn));
  }
  return columns;
}

int64_t SqliteFile::count_rows(const std::string& table) const {
  const Statement statement = prepare(database_, "SELECT count(*) FROM " + table);
  if (statement == nullptr || sqlite3_step(statement.get()) != SQLITE_ROW) return 0;
  return SqliteRow(statement.get()).integer_or(0, 0);
}

absl::Status SqliteFile::each(const std::string& table, const std::vector<std::string>& columns,
                              const std::function<void(const SqliteRow&)>& visit) const {
  const std::vector<std::string> known = columns_of(table);
  if (known.empty()) return absl::OkStatus();
  std::string list;
  for (const std::string& column : columns) {
    const bool has = std::find(known.begin(), known.end(), column) != known.end();
    list += (list.empty() ? "" : ", ") + (has ? "\"" + column + "\"" : "NULL");
  }
  const Statement statement = prepare(database_, "SELECT " + list + " FROM " + table);
  if (statement == nullptr)
    return damaged_input(path_, ": table ", table, ": ", sqlite3_errmsg(database_));
  const SqliteRow row(statement.get());
  for (int64_t number = 0;; ++number) {
    const int code = sqlite3_step(statement.get());
    if (code == SQLITE_DONE) return absl::OkStatus();
    if (code != SQLITE_ROW) {
      return damaged_input(path_, ": table ", table, " behind row ", number, ": ",
                           sqlite3_errmsg(database_));
    }
    visit(row);
  }
}

}  // namespace deepprof
