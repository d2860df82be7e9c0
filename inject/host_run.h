// The way into a job without CUDA: `deepprof run --cpu` names one process, which is recorded from
// the start of its program to its exit (inject/host_session.h). Called by the library's
// constructor.
#pragma once

namespace deepprof {

inline constexpr const char* kHostRunVariable = "DEEPPROF_CPU";

// DEEPPROF_CPU is "PID", and once that process is recorded "PID:BIRTH:TRACE". Where this process
// was another program before (a shell, a launcher that became the job by exec), that program's
// trace is taken back. Its time of birth tells it from a later one that got the same number.
void start_host_run();

}  // namespace deepprof
