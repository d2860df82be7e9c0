// The part of a trace that figures are of. Nothing is taken out of the trace: what lies outside the
// view still tells why the GPU was idle inside it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "analysis/breakdown/account.h"
#include "analysis/iterations/mined.h"
#include "analysis/model/trace.h"

namespace deepprof {

struct View {
  std::optional<uint16_t> device;  // empty: every device
  // Time in which none of this stream's ops runs is idle, whatever other streams do. kNone: the
  // device, which is idle where no stream runs.
  uint32_t stream = kNone;
  // A stretch of the run: the iterations that lie in it whole; where none does, the stretch itself,
  // ops and gaps cut at its borders. Empty: the whole run.
  std::optional<Window> within;
  // The iterations that were asked for (device, index into its iterations). Empty: chosen by
  // figures.h.
  std::function<bool(const DeviceMined&, size_t)> counts;
  // No iterations: the figures are of everything from the first GPU op to the last.
  bool whole_run = false;
  // Iterations count however doubtful they are, and however little of the run.
  bool doubtful = false;

  bool shows(uint32_t number) const { return !device || *device == number; }
  // Whether it shows an iteration: one that was asked for, and whole in the stretch.
  bool shows(const DeviceMined& mined, size_t index) const {
    const Iteration& iteration = mined.iterations[index];
    return (!counts || counts(mined, index)) &&
           (!within ||
            (iteration.start_ns >= within->start_ns && iteration.end_ns <= within->end_ns));
  }
  bool is_whole() const { return stream == kNone && !within && !counts; }
};

// "only stream 7; only 1.000 s to 2.000 s after the first GPU op": what a reader must know of the
// figures. Empty where the view is of whole devices over the whole run or over iterations.
std::string view_words(const View& view, const Trace& trace);

}  // namespace deepprof
