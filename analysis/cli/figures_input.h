// What the verbs about figures share: the FILE, the filters and the rules for categories, loaded,
// mined and computed once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analysis/cli/command.h"
#include "analysis/cli/filters.h"
#include "analysis/cli/input.h"
#include "analysis/cli/output_options.h"
#include "analysis/report/ranks.h"
#include "analysis/report/sections.h"

namespace deepprof {

// On the heap, because the figures point into `mined`.
struct FiguredTrace {
  Trace trace;
  Mined mined;
  Figures figures;
};

// Why a table of GPU work has no rows: the trace has no GPU op, else `otherwise`.
std::string why_empty(const FiguredTrace& of, const std::string& otherwise);

class FiguresInput {
 public:
  void add_to(CLI::App& app, int64_t text_rows = 0);
  // FILE... instead of FILE: a file a rank, or a folder of them.
  void add_several_to(CLI::App& app, int64_t text_rows = 0);
  // --whole-run, for verbs whose figures are of the counted iterations.
  void add_whole_run_to(CLI::App& app);

  // The filters choose what the figures are of. With `basis_only` false filters by iteration are
  // left to the caller's rows.
  absl::StatusOr<std::unique_ptr<FiguredTrace>> load(Console& console, bool basis_only = true);

  // After add_several_to(): the files that are meant, what is left out is said; their ranks side by
  // side, with one file loaded at a time.
  absl::StatusOr<std::vector<std::string>> files(Console& console) const;
  absl::StatusOr<Ranks> load_ranks(const std::vector<std::string>& files, Console& console);
  absl::StatusOr<std::unique_ptr<FiguredTrace>> load_one_of(const std::string& path,
                                                            Console& console);

  const Filters& filters() const { return filters_; }
  bool whole_run() const { return whole_run_; }
  const OutputOptions& output() const { return output_; }
  Names names() const { return output_.for_people() ? Names::short_form : Names::raw; }
  const InputArgument& input() const { return input_; }
  const std::string& categories_path() const { return categories_; }

  // Prints the table after the row filters; ExitCode::inconclusive where it has no rows, and then
  // `why`, one clause: people read it in the table's place, programs on stderr.
  absl::StatusOr<ExitCode> print(Table table, Console& console, const std::string& why = {}) const;

 private:
  // What the filters name that is left to the caller's rows.
  struct Part {
    bool by_iteration = true, by_device = true;
  };
  absl::StatusOr<std::unique_ptr<FiguredTrace>> load_file(const std::string& path, Part part,
                                                          Console& console);
  void add_options(CLI::App& app, int64_t text_rows);

  InputArgument input_;
  std::vector<std::string> paths_;
  Filters filters_;
  OutputOptions output_;
  std::string categories_;
  bool whole_run_ = false;
};

}  // namespace deepprof
