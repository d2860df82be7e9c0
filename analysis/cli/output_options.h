// The options with which every verb that prints tables is told how: --format, --unit, --no-header, -s, -n.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "analysis/cli/console.h"
#include "analysis/report/table.h"

namespace deepprof {

class OutputOptions {
 public:
  void add_to(CLI::App& app);

  // Sorts and cuts the tables as asked and prints them. JSON is one object, or an array of objects where
  // there are several tables.
  absl::Status print(std::vector<Table> tables, Console& console) const;

 private:
  absl::Status arrange(Table& table) const;

  Format format_ = Format::text;
  TimeUnit unit_ = TimeUnit::automatic;
  bool no_header_ = false;
  std::string sort_;    // a column's name or heading, "-" in front: ascending
  int64_t rows_ = 0;    // 0: all
};

}  // namespace deepprof
