// Filters of system calls (seccomp) that end the process, as strict sandboxes and services set
// them.
#pragma once

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace deepprof::test {

// For the calling thread and all that it starts: a call of that number ends the process, or only
// one whose first argument is `least_argument` or more. False: no filter can be set here.
inline bool end_process_at(const std::vector<long>& calls, uint32_t least_argument = 0) {
  constexpr auto kLoad = BPF_LD | BPF_W | BPF_ABS;
  const auto number = static_cast<uint32_t>(offsetof(seccomp_data, nr));
  const auto argument = static_cast<uint32_t>(offsetof(seccomp_data, args));  // its low half
  std::vector<sock_filter> program;
  for (const long call : calls) {
    program.push_back(BPF_STMT(kLoad, number));
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(call), 0, 3));
    program.push_back(BPF_STMT(kLoad, argument));
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, least_argument, 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

}  // namespace deepprof::test
