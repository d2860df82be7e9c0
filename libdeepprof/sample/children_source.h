// The processes that the job has started and theirs: loader workers do the job's work, and its own
// figures do not show it. CPU time, those that have ended and been waited for included; memory; how
// many live.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "libdeepprof/sample/source.h"

namespace deepprof {

// Once a second. A process that has been given another parent is not followed any more. They are
// looked for anew when so many times as long has passed as that took: it is a file for each thread
// of each process.
std::unique_ptr<SampleSource> make_children_source(const std::string& root,
                                                   int64_t search_spacing = 2000);

}  // namespace deepprof
