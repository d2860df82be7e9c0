// The processes that the job has started and theirs: loader workers do the job's work, and its own
// figures do not show it. CPU time, those that have ended and been waited for included; memory; how
// many live.
#pragma once

#include <memory>
#include <string>

#include "libdeepprof/sample/source.h"

namespace deepprof {

// Once a second. A process that has been given another parent is not followed any more.
std::unique_ptr<SampleSource> make_children_source(const std::string& root);

}  // namespace deepprof
