// The sections of the summary, each laid out on the page from the figures. In the order of the
// page.
#pragma once

#include "analysis/report/figures.h"
#include "analysis/report/page.h"
#include "analysis/report/summary.h"

namespace deepprof {

void iterations_part(const DeviceFigures& device, const SummaryOptions& options, Page& page);
void time_part(const Figures& figures, const DeviceFigures& device, Page& page);
void idle_part(const Trace& trace, const Figures& figures, const DeviceFigures& device, Page& page);
void kernels_part(const Trace& trace, const Figures& figures, const DeviceFigures& device,
                  Page& page);

// "mean iteration 325.0 ms", "whole run 12.3 s": what the figures per iteration are of.
std::string basis_words(const DeviceFigures& device);

}  // namespace deepprof
