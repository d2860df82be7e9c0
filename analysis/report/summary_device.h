// The parts of the summary about what was sampled: GPUs, host, and a run without a GPU.
#pragma once

#include <map>
#include <string>

#include "analysis/report/figures.h"
#include "analysis/report/page.h"

namespace deepprof {

// A line for each sampled GPU, the host, and what a reader must know. Nothing where nothing was
// sampled. `batch`: items an iteration, 0: not known.
void device_part(const Trace& trace, const Figures& figures, double batch, Page& page);

// What was counted of GPUs and host while the run was sampled, where there is no trace to read:
// `blobs` of one.
void run_totals_part(const std::map<std::string, std::string>& blobs, Page& page);

// What is known of a process that was recorded without a GPU (deepprof run --cpu): the process, its
// machine, optimizer steps where the framework told of them, findings.
void host_run_part(const Trace& trace, double batch, Page& page);
bool is_host_run(const Trace& trace);

}  // namespace deepprof
