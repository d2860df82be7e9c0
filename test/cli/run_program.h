// Runs a program to its end and keeps what it said.
#pragma once

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

}  // namespace deepprof::test
