#include "analysis/cli/output_options.h"

#include <algorithm>
#include <utility>

#include "analysis/cli/value_checks.h"
#include "analysis/export/sink.h"
#include "analysis/import/message.h"
#include "analysis/report/report_tables.h"

namespace deepprof {
namespace {

// In the order of the enumerators.
const std::vector<std::string> kFormats{"text", "csv", "json", "markdown"};
const std::vector<std::string> kUnits{"auto", "ns", "us", "ms", "s"};

// An option that takes one of `words`: the place of the word is the enumerator.
template <typename Enum>
CLI::Option* add_choice(CLI::App& app, const char* option, const std::vector<std::string>& words,
                        Enum& value, const char* about, const char* text) {
  return app
      .add_option_function<std::string>(
          option,
          [&words, &value](const std::string& word) {
            value = static_cast<Enum>(std::find(words.begin(), words.end(), word) - words.begin());
          },
          about)
      ->check(one_of(words))
      ->option_text(text)
      ->group("Output");
}

// Figures before text before nothing; figures of different type by their value.
bool less(const Cell& a, const Cell& b) {
  const auto rank = [](const Cell& cell) {
    return std::holds_alternative<NotAvailable>(cell)  ? 0
           : std::holds_alternative<std::string>(cell) ? 1
                                                       : 2;
  };
  const auto number = [](const Cell& cell) {
    const auto* whole = std::get_if<int64_t>(&cell);
    if (const auto* figure = std::get_if<PageFigure>(&cell)) return figure->value;
    return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(cell);
  };
  if (rank(a) != rank(b)) return rank(a) < rank(b);
  if (rank(a) == 0) return false;
  if (rank(a) == 1) return std::get<std::string>(a) < std::get<std::string>(b);
  const auto *left = std::get_if<int64_t>(&a), *right = std::get_if<int64_t>(&b);
  if (left != nullptr && right != nullptr) return *left < *right;
  return number(a) < number(b);
}

// "total" finds the column total_ns too.
size_t column_of(const Table& table, const std::string& wanted) {
  const auto matches = [&](const Column& column) {
    return column.name == wanted || column.heading == wanted ||
           column.name.rfind(wanted + "_", 0) == 0;
  };
  return static_cast<size_t>(std::find_if(table.columns.begin(), table.columns.end(), matches) -
                             table.columns.begin());
}

std::vector<std::string> column_names(const std::vector<Table>& tables) {
  std::vector<std::string> names;
  for (const Table& table : tables) {
    if (table.whole) continue;
    for (const Column& column : table.columns) {
      if (std::find(names.begin(), names.end(), column.name) == names.end())
        names.push_back(column.name);
    }
  }
  return names;
}

void sort_rows(Table& table, size_t column, bool ascending) {
  std::stable_sort(table.rows.begin(), table.rows.end(), [&](const auto& a, const auto& b) {
    return ascending ? less(a[column], b[column]) : less(b[column], a[column]);
  });
}

}  // namespace

void OutputOptions::add_to(CLI::App& app, int64_t text_rows) {
  text_rows_ = text_rows;
  add_choice(app, "--format", kFormats, format_, "text, csv, json or markdown", "FORMAT");
  add_choice(app, "--unit", kUnits, unit_,
             "unit of times in text and markdown: auto, ns, us, ms or s", "UNIT");
  app.add_option("-o,--output", path_,
                 "the file to create, compressed where it ends in .gz; - is stdout (the default)")
      ->check(new_file())
      ->option_text("PATH")
      ->group("Output");
  app.add_flag("--no-header", no_header_, "leave out titles and headings")->group("Output");
  app.add_flag("--wide", wide_, "text: all columns, however narrow the terminal")->group("Output");
  app.add_option(
         "-s,--sort", sort_,
         "sort by a column, largest first; -COLUMN: smallest first; of several tables those "
         "that have it")
      ->option_text("COLUMN")
      ->group("Output");
  app.add_option("-n,--rows", rows_,
                 text_rows > 0
                     ? concat("print at most so many rows of a table; 0: all (text: ", text_rows,
                              " unless told)")
                     : "print at most so many rows of a table; 0: all")
      ->check(whole_number())
      ->option_text("N")
      ->group("Output");
}

absl::Status OutputOptions::sort(std::vector<Table>& tables) const {
  const bool ascending = sort_[0] == '-';
  const std::string wanted = ascending ? sort_.substr(1) : sort_;
  const std::vector<std::string> known = column_names(tables);
  bool found = known.empty();  // without rows people see no columns
  for (Table& table : tables) {
    const size_t column = column_of(table, wanted);
    if (table.whole || column == table.columns.size()) continue;
    found = true;
    sort_rows(table, column, ascending);
  }
  return found ? absl::OkStatus() : bad_input(unknown_word("--sort: no column", wanted, known));
}

void OutputOptions::cut(Table& table) const {
  const int64_t most = most_rows();
  if (table.whole || most <= 0 || table.rows.size() <= static_cast<size_t>(most)) return;
  const size_t all = table.rows.size();
  table.rows.resize(static_cast<size_t>(most));
  table.notes.push_back(cut_note(all));
}

absl::Status OutputOptions::arrange(std::vector<Table>& tables) const {
  if (unit_ != TimeUnit::automatic && !for_people())
    return bad_input(
        "--unit is of text and markdown: csv and json carry the unit of each column "
        "in its name");
  if (!sort_.empty()) {
    if (absl::Status sorted = sort(tables); !sorted.ok()) return sorted;
  }
  for (Table& table : tables) cut(table);
  return absl::OkStatus();
}

std::string OutputOptions::table_option() const {
  return rows_                          ? "-n"
         : !sort_.empty()               ? "--sort"
         : unit_ != TimeUnit::automatic ? "--unit"
         : no_header_                   ? "--no-header"
         : wide_                        ? "--wide"
                                        : "";
}

absl::Status OutputOptions::check_page(const char* page) const {
  const std::string option = table_option();
  if (format_ != Format::text || option.empty()) return absl::OkStatus();
  return bad_input(option, ": ", page, " is a page, not a table; for its tables add --format ",
                   option == "--unit" ? "markdown" : "csv, json or markdown");
}

std::string OutputOptions::cut_note(size_t all) const {
  return concat("first ", most_rows(), " of ", all, " rows", rows_ ? "" : "; -n 0 prints all");
}

RenderOptions OutputOptions::render_options(const Console& console) const {
  RenderOptions options;
  options.format = format_;
  options.time_unit = unit_;
  options.header = !no_header_;
  options.color = color(console);
  options.width = path_ == "-" && !wide_ ? console.width() : 0;
  return options;
}

std::string OutputOptions::render(const std::vector<Table>& tables, const Console& console) const {
  return render_all(tables, render_options(console));
}

absl::Status OutputOptions::print(std::vector<Table> tables, Console& console) const {
  if (absl::Status arranged = arrange(tables); !arranged.ok()) return arranged;
  return write(render(tables, console), console);
}

absl::Status OutputOptions::print_parts(Table table, const std::function<bool(Table&)>& next,
                                        Console& console) const {
  std::vector<Table> tables{std::move(table)};
  if (absl::Status arranged = arrange(tables); !arranged.ok()) return arranged;
  const RenderOptions options = render_options(console);
  if (path_ == "-") {
    render_in_parts(std::move(tables[0]), options, next,
                    [&](std::string_view text) { console.print(text); });
    return absl::OkStatus();
  }
  Sink sink(path_);
  render_in_parts(std::move(tables[0]), options, next,
                  [&](std::string_view text) { sink.write(text); });
  return sink.finish();
}

absl::Status OutputOptions::write(std::string_view text, Console& console) const {
  if (path_ == "-") {
    console.print(text);
    return absl::OkStatus();
  }
  Sink sink(path_);
  sink.write(text);
  return sink.finish();
}

}  // namespace deepprof
