// The summary printed at exit and by `deepprof report`: the same text from the same figures. The
// figures are computed once into tables (see table.h); this lays them out in at most `width`
// columns.
#pragma once

#include <string>

#include "analysis/iterations/mined.h"
#include "analysis/model/trace.h"
#include "analysis/report/figures.h"
#include "analysis/report/view.h"

namespace deepprof {

struct SummaryOptions {
  int width = 100;
  bool color = false;
  double batch = 0;             // items per iteration; 0: not known
  std::string categories_path;  // user rule file for kernel categories; empty: the built-in rules
  View view;                    // what the page is of; without a device: the one with most GPU time
  // false: the figures are of a part of the run that does not know its iterations' numbers
  bool numbered = true;
  std::string wrote;  // closing line: "wrote x.dprof (38 MB)   next: ..."; empty: left out
};

// Why a trace without a GPU op has none.
std::string without_ops_text(const Trace& trace, const View& view = {});

std::string summary_text(const Trace& trace, const Mined& mined, const SummaryOptions& options);
// The same from figures that are already there (of options.view).
std::string summary_text(const Trace& trace, const Figures& figures, const SummaryOptions& options);

}  // namespace deepprof
