// Cuts labelled traces and joins the pieces: what variants.cc is written with. Test code only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "test/support/truth.h"

namespace deepprof::test {

// What the miner reads of a trace: names are of a kind that does not copy.
LabelledTrace copy(const LabelledTrace& labelled);

// A labelled trace under construction: ops in any order, each with its label; finish() sorts both.
class Assembly {
 public:
  Trace trace;
  std::vector<int> step;  // by index into trace.ops

  // Adds ops [first, last) of the order in which `from` launched them and the host calls of that
  // time, behind everything there is, as late as they were launched behind the op before them (but
  // 10 ms at most), as ops of device 0. Their steps become new ones.
  void append(const LabelledTrace& from, const std::vector<uint32_t>& order, size_t first,
              size_t last);
  // The same as one step, whatever the labels.
  void append_as_step(const LabelledTrace& from, const std::vector<uint32_t>& order, size_t first,
                      size_t last);

  LabelledTrace finish(const std::string& name);
  int steps() const { return steps_; }

 private:
  int64_t end_ns_ = 1'000'000;
  uint32_t correlation_ = 0;
  int steps_ = 0;
};

// Ops of the recording's first device in launch order.
std::vector<uint32_t> launched(const LabelledTrace& recorded);

// The marked steps as ops [first, last) of that order.
struct StepRange {
  size_t first = 0, last = 0;
};
std::vector<StepRange> step_ranges(const LabelledTrace& recorded,
                                   const std::vector<uint32_t>& order);

}  // namespace deepprof::test
