// The command line of fake_host.
#pragma once

#include <cstdint>
#include <string>

namespace deepprof::fake {

struct Options {
  std::string recording;
  double speed = 0;            // --speed full (0: as fast as can be) | recorded (1) | FACTOR
  bool clock_now = false;      // --clock recorded | now: times as recorded, or moved to the present
  uint64_t repeats = 1;        // --repeat N: the recording so often, times and correlation ids going on
  double rate = 0;             // --rate R: at most R records a second, all threads together
  double seconds = 0;          // --seconds S: repeats until so much time has passed
  int64_t gpu_lag_us = 0;      // --gpu-lag US: ops finish so long after their launch (full speed only)
  bool final_sync = true;      // --no-sync: the job ends with work still on the GPU
  uint64_t stop_after = 0;     // --stop-after N: ends after N launches of the first thread; 0: never
  bool reload_modules = false; // --reload-modules: between repeats, kernel names change at their addresses
  std::string exit_way = "normal";  // --exit WAY: see ways_to_end.h
  int exit_code = 0;           // --code N
  std::string process;         // --process WHAT: see processes.h
  bool close_all = false;      // --close-all: see own_files.h
  std::string other_tool;      // --other-tool FROM,TO: another CUPTI user between those shares of the run
};

// Exits with 2 and one line on stderr when it does not understand.
Options parse_options(int argc, char** argv);

}  // namespace deepprof::fake
