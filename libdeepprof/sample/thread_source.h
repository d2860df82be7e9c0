// The threads that launch GPU work: on a core, or waiting for one. The first kMostThreads of this
// process that the trace knows.
#pragma once

#include <memory>
#include <string>

#include "libdeepprof/sample/source.h"

namespace deepprof {

inline constexpr size_t kMostThreads = 16;

std::unique_ptr<SampleSource> make_thread_source(const std::string& root, uint32_t process,
                                                 const DefinitionLog& log);

}  // namespace deepprof
