// The whole machine: its cores and its memory, once a second.
#pragma once

#include <memory>
#include <string>

#include "libdeepprof/sample/source.h"

namespace deepprof {

std::unique_ptr<SampleSource> make_system_source(const std::string& root);

}  // namespace deepprof
