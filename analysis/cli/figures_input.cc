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
  if (absl::Status resolved = filters_.resolve(loaded->trace); !resolved.ok()) return resolved;
  if (filters_.by_op()) filters_.keep_selected(loaded->trace, loaded->mined);
  FigureOptions options;
  options.categories_path = categories_;
  if (basis_only && filters_.by_iteration() && !filters_.by_op()) {
    options.counts = [this](const DeviceMined& mined, size_t index) {
      return filters_.keeps_iteration(mined, index);
    };
  }
  loaded->figures = compute_figures(loaded->trace, loaded->mined, options);
  if (!loaded->figures.category_error.empty()) return bad_input(loaded->figures.category_error);
  std::erase_if(loaded->figures.devices, [this](const DeviceFigures& device) {
    return !filters_.keeps_device(device.device);
  });
  return loaded;
}

absl::StatusOr<ExitCode> FiguresInput::print(Table table, Console& console) const {
  filters_.keep_rows(table);
  const bool empty = table.rows.empty();
  if (absl::Status printed = output_.print({std::move(table)}, console); !printed.ok())
    return printed;
  return empty ? ExitCode::inconclusive : ExitCode::ok;
}

}  // namespace deepprof
