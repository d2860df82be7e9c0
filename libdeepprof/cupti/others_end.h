// Tells when another tool that has taken CUPTI's v1 interface over is done with it.
//
// CUPTI has no call for that. But torch.profiler leaves a mark: when a session's records are
// disabled and its last flush is through, it sets a global attribute to 0 (threads share a buffer
// again) that is 1 by default since CUDA 13.0, and that it sets to 0 at no other time. Other tools
// may do so at their start, so the mark counts only where libtorch is mapped.
//
// A change that was noticed late says nothing: the next session may have begun by then.
#pragma once

#include <cstdint>

#include "libdeepprof/cupti/library.h"

namespace deepprof::cupti {

class OthersEnd {
 public:
  explicit OthersEnd(const Library& library) : library_(library) {}

  // On every timer tick: a session has ended since the last one, and no other has begun.
  bool seen(int64_t now_ns);
  // Right before CUPTI is taken back: the attribute as it was at the start, for the next session to
  // show.
  void expect_another();
  // The end of the session that is under way would be noticed.
  bool would_show() const;

 private:
  static constexpr int kUnknown = -1, kShared = 0, kPerThread = 1;
  int read() const;

  const Library& library_;
  int last_value_ = kUnknown;
  bool has_been_per_thread_ = false;
  int64_t last_look_ns_ = 0;
};

}  // namespace deepprof::cupti
