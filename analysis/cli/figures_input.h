// What the verbs about figures share: the FILE, the filters and the rules for categories, loaded, mined and
// computed once.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "analysis/cli/command.h"
#include "analysis/cli/filters.h"
#include "analysis/cli/input.h"
#include "analysis/cli/output_options.h"
#include "analysis/report/sections.h"

namespace deepprof {

// On the heap, because the figures point into `mined`.
struct FiguredTrace {
  Trace trace;
  Mined mined;
  Figures figures;
};

class FiguresInput {
 public:
  void add_to(CLI::App& app, int64_t text_rows = 0);

  // The filters choose what the figures are of. With `basis_only` false filters by iteration are left to the
  // caller's rows.
  absl::StatusOr<std::unique_ptr<FiguredTrace>> load(Console& console, bool basis_only = true);

  const Filters& filters() const { return filters_; }
  const OutputOptions& output() const { return output_; }
  Names names() const { return output_.for_people() ? Names::short_form : Names::raw; }
  const InputArgument& input() const { return input_; }
  const std::string& categories_path() const { return categories_; }

  // Prints the table after the row filters; ExitCode::inconclusive where it has no rows.
  absl::StatusOr<ExitCode> print(Table table, Console& console) const;

 private:
  InputArgument input_;
  Filters filters_;
  OutputOptions output_;
  std::string categories_;
};

}  // namespace deepprof
