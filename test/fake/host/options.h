// The command line of fake_host.
#pragma once

#include <cstdint>
#include <string>

namespace deepprof::fake {

struct Options {
  std::string recording;
  double speed = 0;        // --speed full (0: as fast as can be) | recorded (1) | FACTOR
  bool clock_now = false;  // --clock recorded | now: times as recorded, or moved to the present
  // --repeat N: the recording so often, times and correlation ids going on
  uint64_t repeats = 1;
  double rate = 0;     // --rate R: at most R records a second, all threads together
  double seconds = 0;  // --seconds S: repeats until so much time has passed
  // --gpu-lag US: ops finish so long after their launch (full speed only)
  int64_t gpu_lag_us = 0;
  bool final_sync = true;  // --no-sync: the job ends with work still on the GPU
  // --stop-after N: ends after N launches of the first thread; 0: never
  uint64_t stop_after = 0;
  // --reload-modules: between repeats, kernel names change at their addresses
  bool reload_modules = false;
  std::string exit_way = "normal";  // --exit WAY: see ways_to_end.h
  int exit_code = 0;                // --code N
  std::string process;              // --process WHAT: see processes.h
  bool close_all = false;           // --close-all: see own_files.h
  // --other-tool FROM,TO: another CUPTI user between those shares of the run
  std::string other_tool;
};

// Exits with 2 and one line on stderr when it does not understand.
Options parse_options(int argc, char** argv);

}  // namespace deepprof::fake
