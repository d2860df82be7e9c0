#include "analysis/online/find_iterations.h"

#include "analysis/online/number_over_run.h"
#include "analysis/steps/doubts.h"

namespace deepprof {

Mined find_iterations(const Trace& trace, const MineOptions& options) {
  Mined mined = mine(trace, options);
  doubt(trace, mined);
  number_over_run(trace, mined);
  return mined;
}

}  // namespace deepprof
