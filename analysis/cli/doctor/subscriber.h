// Whether another tool holds the one subscriber that CUPTI's older interface gives a process. It is
// not named: only the newer interface knows the name.
#pragma once

#include "analysis/cli/doctor/examine.h"
#include "libdeepprof/cupti/library.h"

namespace deepprof {

// Once records have been agreed by the older interface: CUPTI refuses one interface to a process
// that has used the other.
Symptom check_subscriber(const cupti::Library& library);

}  // namespace deepprof
