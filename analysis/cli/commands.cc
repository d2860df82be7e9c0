#include "analysis/cli/command.h"

namespace deepprof {

std::vector<std::unique_ptr<Command>> commands() {
  std::vector<std::unique_ptr<Command>> all;
  all.push_back(make_run_command());
  all.push_back(make_report_command());
  all.push_back(make_iterations_command());
  all.push_back(make_info_command());
  all.push_back(make_check_command());
  all.push_back(make_recover_command());
  all.push_back(make_import_command());
  all.push_back(make_export_command());
  all.push_back(make_plot_command());
  return all;
}

}  // namespace deepprof
