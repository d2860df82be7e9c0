// The cells of a table by row and column: for the tests of report sections.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/report/table.h"
#include "test/support/catch.h"

namespace deepprof::test {

inline size_t column(const Table& table, const std::string& name) {
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].name == name) return c;
  }
  FAIL("no column " << name);
  return 0;
}

inline int64_t number(const Table& table, size_t row, const std::string& name) {
  return std::get<int64_t>(table.rows.at(row).at(column(table, name)));
}
inline double ratio(const Table& table, size_t row, const std::string& name) {
  return std::get<double>(table.rows.at(row).at(column(table, name)));
}
inline std::string text(const Table& table, size_t row, const std::string& name) {
  return std::get<std::string>(table.rows.at(row).at(column(table, name)));
}
inline bool missing(const Table& table, size_t row, const std::string& name) {
  return std::holds_alternative<NotAvailable>(table.rows.at(row).at(column(table, name)));
}

}  // namespace deepprof::test
