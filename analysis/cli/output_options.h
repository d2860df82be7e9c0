// The options with which every verb that prints tables is told how and where: --format, --unit,
// --output, --no-header, --wide, -s, -n.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "analysis/cli/console.h"
#include "analysis/report/table.h"

namespace deepprof {

class OutputOptions {
 public:
  // `text_rows`: how many rows people see who did not ask for a number; 0: all. Programs get all.
  void add_to(CLI::App& app, int64_t text_rows = 0);

  Format format() const { return format_; }
  // For people (text, Markdown), or for programs?
  bool for_people() const { return format_ == Format::text || format_ == Format::markdown; }

  // Of text on its way to a terminal.
  bool color(const Console& console) const { return path_ == "-" && console.color(); }

  // For verbs whose text is a page: an error where an option is given that is of tables alone.
  absl::Status check_page(const char* page) const;
  // How many rows will be printed of a table whose rows are in order; 0: all. For tables that are
  // costly by the row.
  size_t first_rows() const { return sort_.empty() ? static_cast<size_t>(most_rows()) : 0; }
  // "first 20 of 1,000 rows": the note below a table that was cut.
  std::string cut_note(size_t all) const;

  // Sorts the tables that have the column, an error where none has it, and cuts each to so many
  // rows. Tables that add up (Table::whole) stay as they are.
  absl::Status arrange(std::vector<Table>& tables) const;
  // Of arranged tables. JSON is one object, or an array of objects where there are several.
  std::string render(const std::vector<Table>& tables, const Console& console) const;
  // Both, and prints: an output file is created by one write(), so who prints more than tables
  // writes all at once.
  absl::Status print(std::vector<Table> tables, Console& console) const;
  absl::Status write(std::string_view text, Console& console) const;
  // Of a table for programs that is neither sorted nor cut the rows may come part by part, as
  // render_in_parts() has it.
  bool takes_parts() const { return !for_people() && sort_.empty() && most_rows() == 0; }
  absl::Status print_parts(Table table, const std::function<bool(Table&)>& next,
                           Console& console) const;

 private:
  // The option of tables alone that was given; empty: none.
  std::string table_option() const;
  absl::Status sort(std::vector<Table>& tables) const;
  void cut(Table& table) const;
  RenderOptions render_options(const Console& console) const;
  int64_t most_rows() const { return rows_.value_or(for_people() ? text_rows_ : 0); }

  Format format_ = Format::text;
  TimeUnit unit_ = TimeUnit::automatic;
  bool no_header_ = false, wide_ = false;
  std::string path_ = "-";
  std::string sort_;             // a column's name or heading, "-" in front: ascending
  std::optional<int64_t> rows_;  // 0: all
  int64_t text_rows_ = 0;
};

}  // namespace deepprof
