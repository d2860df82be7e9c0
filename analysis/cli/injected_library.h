// Where libdeepprof_inject.so lies, for the verbs that start a job with it or examine it.
#pragma once

#include <optional>
#include <string>

namespace deepprof {

inline constexpr const char* kInjectedLibrary = "libdeepprof_inject.so";

// Side by side with this program (the portable archive too), installed, or in the build tree.
std::optional<std::string> find_injected_library();

// Why jobs on this machine cannot load `path` as an injected library; empty: they can.
std::string unfit_as_library(const std::string& path);
// Why LD_PRELOAD cannot name it; empty: it can.
std::string unfit_for_preload(const std::string& path);

}  // namespace deepprof
