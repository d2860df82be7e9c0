// filtered [--few] COMMAND...: becomes the command under a filter of system calls that ends the
// process at those that hardly any job makes; --few: only at one that nobody makes.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "test/support/system_call_filter.h"

int main(int argc, char** argv) {
  const std::vector<long> rare = {SYS_unshare,
                                  SYS_setns,
                                  SYS_mknodat,
                                  SYS_mount,
                                  SYS_chroot,
                                  SYS_ptrace,
                                  SYS_bpf,
                                  SYS_perf_event_open,
                                  SYS_keyctl,
                                  SYS_userfaultfd,
                                  SYS_memfd_create,
                                  SYS_kcmp,
                                  SYS_process_vm_readv,
                                  SYS_personality,
                                  SYS_acct,
                                  SYS_inotify_init1,
                                  SYS_fanotify_init,
                                  436 /* close_range */,
                                  425 /* io_uring_setup */,
                                  434 /* pidfd_open */};
  const int few = argc > 1 && strcmp(argv[1], "--few") == 0 ? 1 : 0;
  char** const command = argv + 1 + few;
  const std::vector<long> calls = few != 0 ? std::vector<long>{SYS_acct} : rare;
  if (argc < 2 + few || !deepprof::test::end_process_at(calls)) return 99;
  execvp(command[0], command);
  perror(command[0]);
  return 127;
}
