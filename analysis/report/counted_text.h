// Which part of a recording figures are of, in words.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/figures.h"
#include "analysis/report/table.h"

namespace deepprof {

// "6 warm-up iterations (1.9 s), 2 evaluation stretches (12.1 s)": what the figures of a device
// leave out. Empty: nothing. Precondition: the device has iterations.
std::string excluded_text(const DeviceFigures& device);

// A sentence for each device, one where they are alike: "of 296 of 330 iterations; left out: ...".
std::vector<std::string> counted_notes(const Figures& figures);
void add_counted_notes(const Figures& figures, Table& table);
// The same for tables of all that is shown, counted or not.
std::string shown_note(const Figures& figures);

}  // namespace deepprof
