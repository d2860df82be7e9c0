// This process: CPU time, memory, threads, faults, switches, storage.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "libdeepprof/sample/source.h"

namespace deepprof {

// What the kernel counts for a process and /proc has too coarse, or not at all.
struct ProcessUsage {
  int64_t cpu_ns = 0;
  uint64_t minor_faults = 0, major_faults = 0;
  uint64_t voluntary_switches = 0, involuntary_switches = 0;
};
ProcessUsage own_usage();

std::unique_ptr<SampleSource> make_process_source(const std::string& root,
                                                  ProcessUsage (*usage)() = own_usage);

}  // namespace deepprof
