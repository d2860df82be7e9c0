// Another user of CUPTI in the same process, as torch.profiler is one: `--other-tool FROM,TO`
// registers its own buffer callbacks and enables kinds at one share of the run (0.2), disables the
// kinds at another (0.5). It uses the libcupti that the process has loaded; with none loaded it
// does nothing. Where CUPTI has the v2 interface it uses that, but for processes with libtorch:
// torch.profiler is a v1 client to this day.
#pragma once

#include <thread>

#include "test/fake/host/job.h"

namespace deepprof::fake {

class OtherTool {
 public:
  OtherTool(const Options& options, Job& job);
  void finish();  // waits until it has stopped

 private:
  std::thread thread_;
};

}  // namespace deepprof::fake
