// The renderers behind render() (table.h): one file each, knowing units but never what a table
// means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/report/table.h"

namespace deepprof {

// A table as JSON in parts: rows that have been written need not be kept.
class JsonParts {
 public:
  std::string head(const Table& table);  // its names and columns
  void add_row(const std::vector<Cell>& cells, std::string& out);
  std::string end(const std::vector<std::string>& notes) const;

 private:
  bool first_ = true;
  std::vector<std::string> columns_;  // quoted
  std::vector<std::string> reasons_;  // by column: why values are null, the first that is given
};

std::string render_text(const Table& table, const RenderOptions& options);
std::string render_csv(const Table& table, const RenderOptions& options);
std::string render_json(const Table& table, const RenderOptions& options);
std::string render_markdown(const Table& table, const RenderOptions& options);

// A cell for people: scaled by the column's unit, "n/a" where there is no value.
std::string cell_text(const Cell& cell, const Column& column,
                      TimeUnit time_unit = TimeUnit::automatic);
// A cell for programs: raw and exact; empty where there is no value.
std::string cell_raw(const Cell& cell);
// Figures line up at the right.
bool is_right_aligned(const Table& table, size_t column);
// For people: never a key of programs.
std::string heading_of(const Column& column);

// A JSON string literal, quotes included: control characters escaped, malformed UTF-8 as U+FFFD.
std::string json_quote(std::string_view text);

}  // namespace deepprof
