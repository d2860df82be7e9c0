#include "analysis/cli/program_files.h"

#include <unistd.h>

#include <climits>
#include <cstdlib>

namespace deepprof {
namespace {

std::string program_file() {
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof(path) - 1);
  return length <= 0 ? "./deepprof" : std::string(path, static_cast<size_t>(length));
}

std::string folder_of(const std::string& file) { return file.substr(0, file.rfind('/')); }

}  // namespace

std::string this_program() {
  const std::string file = program_file();
  // In the portable archive the kernel runs the loader that came with the command,
  // lib/deepprof/ld-linux-*; the script that starts it so is bin/deepprof.
  const bool is_loader = file.compare(file.rfind('/') + 1, 8, "ld-linux") == 0;
  return is_loader ? folder_of(file) + "/../../bin/deepprof" : file;
}

std::optional<std::string> find_beside_program(std::initializer_list<std::string> places) {
  return find_beside(program_file(), places);
}

std::optional<std::string> find_beside(const std::string& file,
                                       std::initializer_list<std::string> places) {
  const std::string folder = folder_of(file);
  for (const std::string& place : places) {
    if (char* real = ::realpath((folder + "/" + place).c_str(), nullptr)) {
      std::string found = real;
      std::free(real);
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace deepprof
