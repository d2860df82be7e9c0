/* Runs a command below a debugger's hand: traced NAME COMMAND... is called NAME, traces the command
 * and ends as it did. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kCannotTrace = 99 };

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  prctl(PR_SET_NAME, argv[1]);
  const pid_t child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(kCannotTrace);
    execv(argv[2], argv + 2);
    _exit(127);
  }
  int status = 0, first = 1;
  while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    const int at_exec = first && WSTOPSIG(status) == 5;
    first = 0;
    ptrace(PTRACE_CONT, child, NULL, (void*)(long)(at_exec ? 0 : WSTOPSIG(status)));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
