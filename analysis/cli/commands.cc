#include "analysis/cli/command.h"

namespace deepprof {

std::vector<std::unique_ptr<Command>> commands() {
  std::vector<std::unique_ptr<Command>> all;
  all.push_back(make_run_command());
  all.push_back(make_report_command());
  all.push_back(make_iterations_command());
  all.push_back(make_gaps_command());
  all.push_back(make_iter_command());
  all.push_back(make_kernels_command());
  all.push_back(make_categories_command());
  all.push_back(make_operators_command());
  all.push_back(make_streams_command());
  all.push_back(make_memcpy_command());
  all.push_back(make_memory_command());
  all.push_back(make_sync_command());
  all.push_back(make_comm_command());
  all.push_back(make_device_command());
  all.push_back(make_timeline_command());
  all.push_back(make_compare_command());
  all.push_back(make_top_command());
  all.push_back(make_info_command());
  all.push_back(make_check_command());
  all.push_back(make_recover_command());
  all.push_back(make_import_command());
  all.push_back(make_export_command());
  all.push_back(make_plot_command());
  all.push_back(make_explain_command());
  all.push_back(make_doctor_command());
  return all;
}

}  // namespace deepprof
