// The summary printed at exit and by `deepprof report`: the same text from the same figures. The figures
// are computed once into tables (see table.h); this lays them out in at most `width` columns.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "analysis/iterations/mined.h"
#include "analysis/model/trace.h"

namespace deepprof {

struct SummaryOptions {
  int width = 100;
  bool color = false;
  double batch = 0;             // items per iteration; 0: not known
  std::string categories_path;  // user rule file for kernel categories; empty: the built-in rules
  std::optional<int64_t>
      device;  // the device that the page is of; empty: the one with most GPU time
  // The iterations that the figures per iteration are of; empty: the complete ones of training.
  std::function<bool(const DeviceMined&, size_t)> counts;
  std::string wrote;  // closing line: "wrote x.dprof (38 MB)   next: ..."; empty: left out
};

std::string summary_text(const Trace& trace, const Mined& mined, const SummaryOptions& options);

}  // namespace deepprof
