// The stand-in for libtorch, mapped while this lives.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <string>

#include "test/support/catch.h"

namespace deepprof::cupti {

class MappedTorch {
 public:
  MappedTorch() {
    const std::string path =
        std::string(std::getenv("DEEPPROF_BINARY_DIR")) + "/test/fake/torch/libtorch_cpu.so";
    library_ = ::dlopen(path.c_str(), RTLD_NOW);
    REQUIRE(library_ != nullptr);
  }
  ~MappedTorch() { ::dlclose(library_); }
  MappedTorch(const MappedTorch&) = delete;
  MappedTorch& operator=(const MappedTorch&) = delete;

 private:
  void* library_ = nullptr;
};

}  // namespace deepprof::cupti
