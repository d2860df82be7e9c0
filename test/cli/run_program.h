// Runs a program to its end and keeps what it said.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace deepprof::test {

struct ProgramResult {
  int exit_code = -1;  // -N: ended by signal N
  std::string out, err;
};

// Without a shell; the environment is ours plus `environment` ("NAME=value").
ProgramResult run_program(const std::vector<std::string>& command,
                          const std::vector<std::string>& environment = {});

// The command under test (DEEPPROF_COMMAND) with these arguments.
ProgramResult run_deepprof(std::vector<std::string> arguments,
                           const std::vector<std::string>& environment = {});

// The path of the injected library that lies beside that command.
std::string built_library();

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
inline long lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

}  // namespace deepprof::test
