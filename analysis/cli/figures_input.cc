#include "analysis/cli/figures_input.h"

#include "analysis/import/message.h"

namespace deepprof {

void FiguresInput::add_to(CLI::App& app, int64_t text_rows) {
  input_.add_to(app);
  filters_.add_to(app);
  output_.add_to(app, text_rows);
  app.add_option("--categories", categories_, "file of rules for kernel categories")
      ->option_text("PATH");
}

absl::StatusOr<std::unique_ptr<FiguredTrace>> FiguresInput::load(Console& console,
                                                                 bool basis_only) {
  auto input = load_and_mine(input_, console);
  if (!input.ok()) return input.status();
  auto loaded = std::make_unique<FiguredTrace>();
  loaded->trace = std::move(input->trace);
  loaded->mined = std::move(input->mined);
  if (absl::Status resolved = filters_.resolve(loaded->trace, loaded->mined); !resolved.ok())
    return resolved;
  loaded->figures =
      compute_figures(loaded->trace, loaded->mined, {categories_, filters_.view(basis_only)});
  if (!loaded->figures.category_error.empty()) return bad_input(loaded->figures.category_error);
  return loaded;
}

absl::StatusOr<ExitCode> FiguresInput::print(Table table, Console& console) const {
  filters_.keep_rows(table);
  const bool empty = table.rows.empty();
  if (empty)
    table.notes.insert(table.notes.begin(),
                       "no rows: nothing of the kind in this trace, or nothing matches");
  if (absl::Status printed = output_.print({std::move(table)}, console); !printed.ok())
    return printed;
  return empty ? ExitCode::inconclusive : ExitCode::ok;
}

}  // namespace deepprof
