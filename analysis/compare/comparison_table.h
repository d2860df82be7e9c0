// The tables of `deepprof compare`. Column names are stable: people's scripts read them.
#pragma once

#include <span>
#include <string>

#include "analysis/compare/comparison.h"
#include "analysis/report/sections.h"
#include "analysis/report/table.h"

namespace deepprof {

// What was compared: a row for each run.
Table runs_table(std::span<const RunProfile> runs);

// A row for each figure of `b` beside that of `a`. For programs values are raw, in the unit that
// ends the figure's name; for people (Names::short_form) they are scaled and figures that neither
// run has are left out.
Table measures_table(const RunProfile& a, const RunProfile& b, const Comparison& of, Names names);

// A row for each GPU op of the iteration; for people only those that changed.
Table ops_table(const RunProfile& a, const RunProfile& b, const Comparison& of, Names names);

// A row for each blocking function that the host calls.
Table calls_table(const RunProfile& a, const RunProfile& b, const Comparison& of);

// What differs, in sentences: for programs, and for people on a page of `width` columns (0: 100).
std::string changes_text(const RunProfile& a, const RunProfile& b, const Comparison& of, int width);
Table changes_table(const RunProfile& a, const RunProfile& b, const Comparison& of);

// "b against a: +8.0 % time per iteration (99 % interval +7.2 % to +8.9 %)", or that nothing can be
// told. Over::all: "mean time per iteration".
std::string pace_text(const RunProfile& a, const RunProfile& b, const Comparison& of,
                      Over over = Over::typical);

}  // namespace deepprof
