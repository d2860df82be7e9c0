// The processor packages: temperature (hwmon, else a thermal zone) and energy (RAPL through
// powercap).
#pragma once

#include <memory>
#include <string>

#include "libdeepprof/sample/source.h"

namespace deepprof {

std::unique_ptr<SampleSource> make_processor_source(const std::string& root);

}  // namespace deepprof
