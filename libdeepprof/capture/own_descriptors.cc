#include "libdeepprof/capture/own_descriptors.h"

#include <dirent.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "libdeepprof/capture/thread_set.h"

namespace deepprof {
namespace {

ThreadSet with_own_table;

// What a job opened before it lowered its limit.
void close_beyond_limit() noexcept {
  DIR* const numbers = ::opendir("/proc/thread-self/fd");
  if (numbers == nullptr) return;
  while (const dirent* entry = ::readdir(numbers)) {
    const int number = std::atoi(entry->d_name);
    if (entry->d_name[0] != '.' && number != ::dirfd(numbers)) ::close(number);
  }
  ::closedir(numbers);
}

}  // namespace

// Both steps in one: the kernel copies next to nothing, and nobody waits for the end of a pipe that
// we hold.
bool leave_descriptors_by_close_range() noexcept {
#ifdef SYS_close_range
  constexpr long kCloseRange = SYS_close_range;
#else
  constexpr long kCloseRange = 436;
#endif
  constexpr unsigned kUnshare = 2;  // CLOSE_RANGE_UNSHARE
  return ::syscall(kCloseRange, 0u, ~0u, kUnshare) == 0;
}

bool leave_descriptors_by_unshare() noexcept {
  constexpr rlim_t kMost = rlim_t{1} << 20;  // a limit may be a billion
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || ::unshare(CLONE_FILES) != 0) return false;
  for (int number = 0; number < static_cast<int>(std::min(limit.rlim_cur, kMost)); ++number)
    ::close(number);
  close_beyond_limit();
  return true;
}

OwnDescriptors::OwnDescriptors() noexcept : slot_(ThreadSet::kMost) {
  if (leave_descriptors_by_close_range() || leave_descriptors_by_unshare())
    slot_ = with_own_table.add_self();
}

OwnDescriptors::~OwnDescriptors() { with_own_table.remove(slot_); }

bool OwnDescriptors::here() noexcept { return with_own_table.contains_self(); }

}  // namespace deepprof
