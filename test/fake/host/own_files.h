// `--close-all`: a thread of the job closes every descriptor above the standard ones, again and
// again, and opens files of its own, as a daemon or a launcher may do at its start. A job that
// finds one of those closed, or written to, by somebody else exits with 93.
#pragma once

#include <atomic>
#include <thread>

#include "test/fake/host/options.h"

namespace deepprof::fake {

class OwnFiles {
 public:
  explicit OwnFiles(const Options& options);
  // Waits for the thread. False: a file was not left alone.
  bool finish();

 private:
  std::thread thread_;
  std::atomic<bool> stop_{false};
  unsigned long lost_ = 0, rounds_ = 0;
};

}  // namespace deepprof::fake
