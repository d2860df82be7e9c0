// What this user may do with the GPU: open the driver's device files, read its performance
// counters.
#pragma once

#include <string>

#include "analysis/cli/doctor/examine.h"

namespace deepprof {

// `root`: "" on a machine, a folder of frozen files in tests.
Symptom check_permissions(const std::string& root);

}  // namespace deepprof
