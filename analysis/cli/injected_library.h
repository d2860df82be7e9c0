// Where libdeepprof_inject.so lies, for the verbs that start a job with it or examine it.
#pragma once

#include <optional>
#include <string>

namespace deepprof {

inline constexpr const char* kInjectedLibrary = "libdeepprof_inject.so";

// Side by side with this program (the portable archive too), installed, or in the build tree.
std::optional<std::string> find_injected_library();

}  // namespace deepprof
