#include <algorithm>
#include <cmath>

#include "analysis/report/render.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

std::string figure_text(double value, Unit unit, TimeUnit time_unit) {
  return unit == Unit::nanoseconds ? duration_text(value, time_unit) : scaled_text(value, unit);
}

}  // namespace

std::string cell_text(const Cell& cell, const Column& column, TimeUnit time_unit) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* figure = std::get_if<PageFigure>(&cell)) {
    const bool scaled = column.unit == Unit::nanoseconds && time_unit != TimeUnit::automatic;
    return scaled ? duration_text(figure->value, time_unit) : figure->text;
  }
  if (const auto* number = std::get_if<int64_t>(&cell)) {
    // An identifier (device, stream, correlation) is not a quantity: no separators, no scaling.
    if (column.unit == Unit::none) return format_text("%lld", static_cast<long long>(*number));
    if (column.unit == Unit::count) return count_text(*number);
    return figure_text(static_cast<double>(*number), column.unit, time_unit);
  }
  const auto* number = std::get_if<double>(&cell);
  return number != nullptr && std::isfinite(*number) ? figure_text(*number, column.unit, time_unit)
                                                     : "n/a";
}

std::string cell_raw(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* number = std::get_if<int64_t>(&cell)) return std::to_string(*number);
  if (const auto* figure = std::get_if<PageFigure>(&cell)) return exact_text(figure->value);
  const auto* number = std::get_if<double>(&cell);
  return number != nullptr && std::isfinite(*number) ? exact_text(*number) : "";
}

bool is_right_aligned(const Table& table, size_t column) {
  for (const auto& row : table.rows) {
    if (column < row.size() && std::holds_alternative<std::string>(row[column])) return false;
  }
  return !table.rows.empty() || table.columns[column].unit != Unit::none;
}

std::string heading_of(const Column& column) {
  if (!column.heading.empty()) return column.heading;
  std::string words = column.name;
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

}  // namespace deepprof
