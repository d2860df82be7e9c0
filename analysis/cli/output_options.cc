#include "analysis/cli/output_options.h"

#include <algorithm>
#include <map>

#include "analysis/cli/number_checks.h"
#include "analysis/import/message.h"
#include "analysis/report/report_tables.h"

namespace deepprof {
namespace {

const std::map<std::string, Format> kFormats{{"text", Format::text},
                                             {"csv", Format::csv},
                                             {"json", Format::json},
                                             {"markdown", Format::markdown}};
const std::map<std::string, TimeUnit> kUnits{{"auto", TimeUnit::automatic},
                                             {"ns", TimeUnit::ns},
                                             {"us", TimeUnit::us},
                                             {"ms", TimeUnit::ms},
                                             {"s", TimeUnit::s}};

// Figures before text before nothing; figures of different type by their value.
bool less(const Cell& a, const Cell& b) {
  const auto rank = [](const Cell& cell) {
    return std::holds_alternative<NotAvailable>(cell)  ? 0
           : std::holds_alternative<std::string>(cell) ? 1
                                                       : 2;
  };
  const auto number = [](const Cell& cell) {
    const auto* whole = std::get_if<int64_t>(&cell);
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

std::string column_names(const Table& table) {
  std::string names;
  for (const Column& column : table.columns) names += (names.empty() ? "" : ", ") + column.name;
  return names;
}

}  // namespace

void OutputOptions::add_to(CLI::App& app, int64_t text_rows) {
  text_rows_ = text_rows;
  app.add_option("--format", format_, "text, csv, json or markdown")
      ->transform(CLI::CheckedTransformer(kFormats, CLI::ignore_case).description(""))
      ->option_text("FORMAT")
      ->group("Output");
  app.add_option("--unit", unit_, "unit of times in text and markdown: auto, ns, us, ms or s")
      ->transform(CLI::CheckedTransformer(kUnits).description(""))
      ->option_text("UNIT")
      ->group("Output");
  app.add_flag("--no-header", no_header_, "print rows only")->group("Output");
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
  if (!sort_.empty()) {
    const bool ascending = sort_[0] == '-';
    const size_t column = column_of(table, ascending ? sort_.substr(1) : sort_);
    if (column == table.columns.size()) {
      return bad_input("--sort ", sort_, ": no such column; expected one of ", column_names(table));
    }
    std::stable_sort(table.rows.begin(), table.rows.end(), [&](const auto& a, const auto& b) {
      return ascending ? less(a[column], b[column]) : less(b[column], a[column]);
    });
  }
  const int64_t most = rows_.value_or(for_people() ? text_rows_ : 0);
  if (most > 0 && table.rows.size() > static_cast<size_t>(most)) {
    const size_t all = table.rows.size();
    table.rows.resize(static_cast<size_t>(most));
    table.notes.push_back(
        concat("first ", most, " of ", all, " rows", rows_ ? "" : "; -n 0 prints all"));
  }
  return absl::OkStatus();
}

absl::Status OutputOptions::print(std::vector<Table> tables, Console& console) const {
  RenderOptions options;
  options.format = format_;
  options.time_unit = unit_;
  options.header = !no_header_;
  options.color = console.color();
  options.width = console.width();
  for (Table& table : tables) {
    if (absl::Status arranged = arrange(table); !arranged.ok()) return arranged;
  }
  console.print(render_all(tables, options));
  return absl::OkStatus();
}

}  // namespace deepprof
