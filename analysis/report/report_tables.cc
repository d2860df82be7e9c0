#include "analysis/report/report_tables.h"

#include "analysis/report/device_sections.h"
#include "analysis/report/memory_sections.h"
#include "analysis/report/sections.h"
#include "analysis/report/summary_device.h"

namespace deepprof {

std::vector<Table> report_tables(const Trace& trace, const Figures& figures, double batch,
                                 Names names) {
  // A run without a GPU has none of the tables that are about one.
  std::vector<Table> tables;
  if (is_host_run(trace)) tables = {step_times_table(trace)};
  else
    tables = {iteration_times_table(figures), breakdown_table(figures),
              idle_table(trace, figures, names), categories_table(figures)};
  if (Table tails = tails_table(trace, figures); !tails.rows.empty())
    tables.push_back(std::move(tails));
  if (Table doing = host_doing_table(trace, figures, names); !doing.rows.empty())
    tables.push_back(std::move(doing));
  if (Table marked = marked_steps_table(figures); !marked.rows.empty())
    tables.push_back(std::move(marked));
  if (!trace.samples.empty() && !figures.devices.empty())
    tables.push_back(gpu_use_table(trace, figures, batch, names));
  if (!trace.samples.empty() && (!figures.devices.empty() || is_host_run(trace)))
    tables.push_back(host_use_table(trace, figures, names));
  if (Table memory = memory_table(trace, figures, names); !memory.rows.empty())
    tables.push_back(std::move(memory));
  tables.push_back(findings_table(trace, figures, names));
  // A header over nothing only puzzles people; programs find every table.
  if (names == Names::short_form)
    std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
  return tables;
}

std::string render_all(const std::vector<Table>& tables, const RenderOptions& options) {
  const bool json = options.format == Format::json;
  std::string out;
  for (const Table& table : tables) {
    if (!out.empty()) out += json ? "," : "\n";
    std::string one = render(table, options);
    if (out.empty()) out = std::move(one);  // it may be hundreds of megabytes
    else out += one;
  }
  return json && tables.size() != 1 ? "[" + out + "]\n" : out;
}

Names names_for(Format format) {
  return format == Format::text || format == Format::markdown ? Names::short_form : Names::raw;
}

std::string render_report(const Trace& trace, const Figures& figures, Format format) {
  RenderOptions options;
  options.format = format;
  return render_all(report_tables(trace, figures, batch_of(trace, 0), names_for(format)), options);
}

}  // namespace deepprof
