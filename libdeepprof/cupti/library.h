// Finds and loads the one libcupti that this process shall use. Start-up thread; loading takes a
// few milliseconds. A library is never unloaded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libdeepprof/cupti/api.h"
#include "libdeepprof/result.h"

namespace deepprof::cupti {

struct Candidate {
  std::string path;    // a file, or a bare soname for the dynamic linker to find
  std::string reason;  // why it is tried: "DEEPPROF_CUPTI", "already mapped", ...
};

struct Library {
  Api api;
  std::string path;  // the file that was loaded
  std::string reason;
  uint32_t version = 0;    // cuptiGetVersion
  int driver_version = 0;  // cuDriverGetVersion, 13000 for CUDA 13.0; 0: not known
};

// Files of libcupti that the process has mapped.
std::vector<std::string> mapped_libcuptis();

// Has the process mapped a file whose name starts so?
bool is_mapped(std::string_view prefix);

// Where to look, in this order: `chosen` (DEEPPROF_CUPTI; nothing else is tried then), the copy
// that is mapped already, next to the mapped libcudart, in the wheel beside any of NVIDIA's that is
// mapped, the sonames that the driver can serve, CUDA_HOME and its like, /usr/local/cuda*.
std::vector<Candidate> libcupti_candidates(const std::string& chosen, int driver_version);

// The driver's version, 0 where no driver is mapped.
int driver_version();

// Loads the first candidate that opens and has the calls we need.
Result<Library> load_library(const std::string& chosen);

}  // namespace deepprof::cupti
