// Builds against the installed headers, links the installed libraries, and finds the injected
// library.
#include <dlfcn.h>

#include <cstdio>

#include "analysis/model/dprof.h"
#include "libdeepprof/event/kind.h"

int main(int argc, char** argv) {
  const auto loaded = deepprof::read_dprof(argc > 1 ? argv[1] : "no-such-file.dprof");
  if (loaded.ok() == (argc <= 1)) return 1;
  std::printf("reader: %s\n", loaded.ok() ? "read" : loaded.error().c_str());

  if (deepprof::kind_info(deepprof::Kind::kernel).name != "kernel") return 2;

#ifdef INJECT_LIBRARY
  void* library = dlopen(INJECT_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr || dlsym(library, "InitializeInjection") == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 3;
  }
  std::printf("library: %s\n", INJECT_LIBRARY);
#endif
  return 0;
}
