// The end of a recording that nobody closed. CUPTI hands buffers over thread by thread, so when a
// job is killed the last ops of one thread or stream are there and those of another are not: an
// iteration without its backward pass looks like an evaluation. From the last op of the lane that
// lags most, the recording may lack ops; that time is a hole which lasts to its end.
#pragma once

#include "analysis/model/trace.h"

namespace deepprof {

// Of a finished trace, if its end was not handed over whole (it is not closed, or was written from
// one that was not; CUPTI kept buffers): fills `tails` and adds the holes.
//
// A lane is a stream, or the thread that launches. It lags if it was in step with the others until
// it fell silent: it has a good part of the ops, or is silent for longer than it usually is; and
// not for so long that CUPTI would have had to hand over a full buffer of it meanwhile, or that it
// was silent for longer than it lived. Time is counted in ops of the device: a job that pauses does
// not fall silent.
void find_tails(Trace& trace);

}  // namespace deepprof
