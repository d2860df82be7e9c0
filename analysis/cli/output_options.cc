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

std::vector<std::string> column_names(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  return names;
}

}  // namespace

void OutputOptions::add_to(CLI::App& app, int64_t text_rows) {
  text_rows_ = text_rows;
  add_choice(app, "--format", kFormats, format_, "text, csv, json or markdown", "FORMAT");
  add_choice(app, "--unit", kUnits, unit_,
             "unit of times in text and markdown: auto, ns, us, ms or s", "UNIT");
  app.add_option("-o,--output", path_,
                 "the file to create, compressed where it ends in .gz; - is stdout (the default)")
      ->option_text("PATH")
      ->group("Output");
  app.add_flag("--no-header", no_header_, "print rows only")->group("Output");
  app.add_flag("--wide", wide_, "text: all columns, however narrow the terminal")->group("Output");
  app.add_option("-s,--sort", sort_, "sort by a column, largest first; -COLUMN: smallest first")
      ->option_text("COLUMN")
      ->group("Output");
  app.add_option("-n,--rows", rows_,
                 text_rows > 0 ? concat("print at most so many rows; 0: all (text: ", text_rows,
                                        " unless told)")
                               : "print at most so many rows; 0: all")
      ->check(whole_number())
      ->option_text("N")
      ->group("Output");
}

absl::Status OutputOptions::arrange(Table& table) const {
  if (table.whole) return absl::OkStatus();
  if (!sort_.empty() && !table.columns.empty()) {  // without rows people see no columns
    const bool ascending = sort_[0] == '-';
    const size_t column = column_of(table, ascending ? sort_.substr(1) : sort_);
    if (column == table.columns.size()) {
      return bad_input(unknown_word("--sort: no column", ascending ? sort_.substr(1) : sort_,
                                    column_names(table)));
    }
    std::stable_sort(table.rows.begin(), table.rows.end(), [&](const auto& a, const auto& b) {
      return ascending ? less(a[column], b[column]) : less(b[column], a[column]);
    });
  }
  const int64_t most = most_rows();
  if (most > 0 && table.rows.size() > static_cast<size_t>(most)) {
    const size_t all = table.rows.size();
    table.rows.resize(static_cast<size_t>(most));
    table.notes.push_back(cut_note(all));
  }
  return absl::OkStatus();
}

absl::Status OutputOptions::check_page(const char* page) const {
  if (format_ != Format::text || (!rows_ && sort_.empty())) return absl::OkStatus();
  return bad_input(rows_ ? "-n" : "--sort", ": ", page,
                   " is a page, not a table; for its rows add --format csv, json or markdown");
}

std::string OutputOptions::cut_note(size_t all) const {
  return concat("first ", most_rows(), " of ", all, " rows", rows_ ? "" : "; -n 0 prints all");
}

absl::StatusOr<std::string> OutputOptions::rendered(std::vector<Table> tables,
                                                    const Console& console) const {
  RenderOptions options;
  options.format = format_;
  options.time_unit = unit_;
  options.header = !no_header_;
  options.color = color(console);
  options.width = path_ == "-" && !wide_ ? console.width() : 0;
  for (Table& table : tables) {
    if (absl::Status arranged = arrange(table); !arranged.ok()) return arranged;
  }
  return render_all(tables, options);
}

absl::Status OutputOptions::print(std::vector<Table> tables, Console& console) const {
  auto text = rendered(std::move(tables), console);
  return text.ok() ? write(*text, console) : text.status();
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
