#include "test/cli/run_program.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace deepprof::test {
namespace {

[[noreturn]] void become(const std::vector<std::string>& command,
                         const std::vector<std::string>& environment) {
  for (const std::string& pair : environment) {
    const size_t equals = pair.find('=');
    ::setenv(pair.substr(0, equals).c_str(), pair.substr(equals + 1).c_str(), 1);
  }
  std::vector<char*> arguments;
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

void drain(int out, int err, ProgramResult& result) {
  pollfd files[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
  std::string* texts[2] = {&result.out, &result.err};
  int open = 2;
  char buffer[4096];
  while (open > 0 && ::poll(files, 2, -1) >= 0) {
    for (int i = 0; i < 2; ++i) {
      if (files[i].fd < 0 || files[i].revents == 0) continue;
      const ssize_t got = ::read(files[i].fd, buffer, sizeof(buffer));
      if (got > 0) {
        texts[i]->append(buffer, static_cast<size_t>(got));
      } else {
        ::close(files[i].fd);
        files[i].fd = -1;
        --open;
      }
    }
  }
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& command,
                          const std::vector<std::string>& environment) {
  ProgramResult result;
  int out[2], err[2];
  if (::pipe(out) != 0 || ::pipe(err) != 0) return result;
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    for (const int file : {out[0], out[1], err[0], err[1]}) ::close(file);
    become(command, environment);
  }
  ::close(out[1]);
  ::close(err[1]);
  drain(out[0], err[0], result);
  int status = 0;
  ::waitpid(child, &status, 0);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return result;
}

ProgramResult run_deepprof(std::vector<std::string> arguments,
                           const std::vector<std::string>& environment) {
  const char* program = std::getenv("DEEPPROF_COMMAND");
  arguments.insert(arguments.begin(), program != nullptr ? program : "deepprof");
  return run_program(arguments, environment);
}

std::string built_library() {
  const std::string path = run_deepprof({"run", "--print-library"}).out;
  return path.substr(0, path.find('\n'));
}

}  // namespace deepprof::test
