// The page of `deepprof top`: the newest part of a run that still goes on. Laid out from the same
// figures as the summary.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/report/figures.h"

namespace deepprof {

struct LiveState {
  std::string title;    // first line: which job, what it writes
  bool running = true;  // false: the job has ended, or its end is not known
  double age_s = -1;    // since the trace was last written; < 0: not known
  int width = 100;
  bool color = false;
};

// `trace` holds the newest events, and the statistics of the whole run.
std::string live_page(const Trace& trace, const Figures& figures, const LiveState& state);

// One character for each value, its height the share of the largest: "▁▂█". The newest `width`
// values.
std::string sparkline(const std::vector<int64_t>& values, size_t width);

}  // namespace deepprof
