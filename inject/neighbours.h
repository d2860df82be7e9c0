// Other tools that hold this process: Nsight Systems, Nsight Compute, compute-sanitizer, cuda-gdb.
// They own CUPTI's or the debugger's interface of the driver, and a second client can only spoil
// both.
#pragma once

#include <string>

namespace deepprof {

// The tool's name ("Nsight Systems"), empty when none is there. Reads the environment, the mapped
// libraries and who traces the process. Start-up thread.
std::string other_tool(const char* const* environment);

}  // namespace deepprof
