#include "analysis/cli/injected_library.h"

#include "analysis/cli/program_files.h"

namespace deepprof {

std::optional<std::string> find_injected_library() {
  const std::string file = std::string("/") + kInjectedLibrary;
  return find_beside_program(
      {"." + file, "../lib" + file, "../" DEEPPROF_INSTALL_LIBDIR + file, "../../lib" + file});
}

}  // namespace deepprof
