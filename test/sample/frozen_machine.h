// A machine whose files are what the test says. Test code only.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "test/trace/temporary_folder.h"

namespace deepprof::test {

class FrozenMachine {
 public:
  void set(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::string root() const { return folder_ / ""; }

 private:
  TemporaryFolder folder_;
};

}  // namespace deepprof::test
