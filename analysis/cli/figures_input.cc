#include "analysis/cli/figures_input.h"

#include "analysis/cli/trace_files.h"
#include "analysis/import/message.h"
#include "analysis/report/summary.h"
#include "analysis/report/summary_device.h"

namespace deepprof {

void FiguresInput::add_to(CLI::App& app, int64_t text_rows) {
  input_.add_to(app);
  add_options(app, text_rows);
}

void FiguresInput::add_several_to(CLI::App& app, int64_t text_rows) {
  app.add_option("FILE", paths_, "traces, one a rank, or a folder of them")
      ->required()
      ->type_name("");
  add_options(app, text_rows);
}

void FiguresInput::add_whole_run_to(CLI::App& app) {
  app.add_flag("--whole-run", whole_run_,
               "of everything that was recorded, not of the counted iterations alone")
      ->group("Filters");
}

void FiguresInput::add_options(CLI::App& app, int64_t text_rows) {
  filters_.add_to(app);
  output_.add_to(app, text_rows);
  app.add_option("--categories", categories_, "file of rules for kernel categories")
      ->option_text("PATH");
}

absl::StatusOr<std::unique_ptr<FiguredTrace>> FiguresInput::load_file(const std::string& path,
                                                                      Part part, Console& console) {
  auto input = load_and_mine(path, console);
  if (!input.ok()) return input.status();
  auto loaded = std::make_unique<FiguredTrace>();
  loaded->trace = std::move(input->trace);
  loaded->mined = std::move(input->mined);
  if (absl::Status resolved = filters_.resolve(loaded->trace, loaded->mined); !resolved.ok())
    return resolved;
  if (whole_run_ && filters_.by_iteration())
    return bad_input("--whole-run with --iter or --section: the figures are of either");
  View view = filters_.view(part.by_iteration);
  view.whole_run = whole_run_;
  view.doubtful = !part.by_iteration;  // verbs that show iterations themselves
  if (!part.by_device) view.device.reset();
  loaded->figures = compute_figures(loaded->trace, loaded->mined, {categories_, view});
  if (!loaded->figures.category_error.empty()) return bad_input(loaded->figures.category_error);
  return loaded;
}

absl::StatusOr<std::unique_ptr<FiguredTrace>> FiguresInput::load(Console& console,
                                                                 bool basis_only) {
  auto loaded = load_file(input_.path(), {.by_iteration = basis_only}, console);
  if (!loaded.ok()) return loaded;
  if (absl::Status rank = filters_.check_rank({(*loaded)->trace.process.rank}); !rank.ok())
    return rank;
  return loaded;
}

absl::StatusOr<std::unique_ptr<FiguredTrace>> FiguresInput::load_one_of(const std::string& path,
                                                                        Console& console) {
  return load_file(path, {}, console);
}

absl::StatusOr<std::vector<std::string>> FiguresInput::files(Console& console) const {
  auto files = trace_files(paths_);
  if (!files.ok()) return files.status();
  for (const std::string& sentence : files->left_out) console.say(sentence);
  return std::move(files->traces);
}

absl::StatusOr<Ranks> FiguresInput::load_ranks(const std::vector<std::string>& files,
                                               Console& console) {
  Ranks ranks;
  for (const std::string& file : files) {
    // A rank's waiting shows on the others, whichever device is asked for.
    auto loaded = load_file(file, {.by_device = false}, console);
    if (!loaded.ok()) {
      const std::string message(loaded.status().message());
      const bool told = files.size() == 1 || message.find(file) != std::string::npos;
      return told ? loaded.status() : bad_input(file, ": ", message);
    }
    add_ranks((*loaded)->trace, (*loaded)->figures, file, files.size() > 1, ranks);
  }
  if (const std::string twice = ranks.repeated(); !twice.empty())
    return bad_input(twice, ": give each rank once");
  compare_ranks(ranks);
  if (!ranks.doubt.empty())
    console.say(concat(ranks.doubt,
                       "; they are not set against each other (two jobs: deepprof "
                       "compare)"));
  std::vector<int> known;
  for (const RankFigures& rank : ranks.figures) known.push_back(rank.rank);
  if (absl::Status rank = filters_.check_rank(known); !rank.ok()) return rank;
  return ranks;
}

absl::StatusOr<ExitCode> FiguresInput::print(Table table, Console& console,
                                             const std::string& why) const {
  const size_t all = table.rows.size();
  filters_.keep_rows(table);
  const bool empty = table.rows.empty();
  if (empty) {
    const std::string reason =
        all > 0       ? concat("none of ", all, " matches the filters")
        : why.empty() ? std::string("nothing of the kind in this trace, or nothing matches")
                      : why;
    table.notes = {"no rows: " + reason};
    // a header over nothing only puzzles
    if (output_.for_people()) table.columns.clear(), table.title.clear();
    else console.say("deepprof: " + table.notes[0]);
  }
  std::vector<Table> tables;  // a braced list would copy what may be a million rows
  tables.push_back(std::move(table));
  if (absl::Status printed = output_.print(std::move(tables), console); !printed.ok())
    return printed;
  return empty ? ExitCode::inconclusive : ExitCode::ok;
}

std::string why_empty(const FiguredTrace& of, const std::string& otherwise) {
  if (is_host_run(of.trace))
    return "the run was recorded without a GPU (deepprof run --cpu): deepprof report and deepprof "
           "device show its host";
  if (!of.trace.ops.empty()) return otherwise;
  return without_ops_text(of.trace) +
         (of.trace.ranges.empty() ? "" : "; deepprof report has what the host did, by time");
}

}  // namespace deepprof
