// What the injected library would find on this machine, asked from the library's own code: the
// driver, the copy of CUPTI it would choose, what that copy agrees to trace, where the files would
// go.
#pragma once

#include <string>
#include <vector>

namespace deepprof {

enum class Health : uint8_t {
  good,
  limited,  // capture works, but something is missing or surprising
  broken,   // a job would run, but not be captured
  unknown,  // could not be asked because something before it is broken
};

struct Symptom {
  std::string subject;  // "driver"
  Health health = Health::good;
  std::string finding;  // "CUDA 13.0, 2 devices"
  std::string advice;   // what to do; empty: nothing
};

// Loads the driver and CUPTI into this process, and asks them. Call once.
std::vector<Symptom> examine();

}  // namespace deepprof
