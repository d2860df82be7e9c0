// The tables behind the summary's page, for programs: what `deepprof report --format json` prints
// and the library writes with DEEPPROF_FORMAT=json.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/figures.h"
#include "analysis/report/sections.h"
#include "analysis/report/table.h"

namespace deepprof {

// `batch`: items an iteration, 0: not known. For people (Names::short_form): tables without rows
// are left out.
std::vector<Table> report_tables(const Trace& trace, const Figures& figures, double batch,
                                 Names names);

// Who reads a format.
Names names_for(Format format);

// Several tables as one text: a JSON array of them; in the other formats one after the other.
std::string render_all(const std::vector<Table>& tables, const RenderOptions& options);

std::string render_report(const Trace& trace, const Figures& figures, Format format);

}  // namespace deepprof
