#include "libdeepprof/capture/own_descriptors.h"

#include <dirent.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "libdeepprof/capture/thread_set.h"
#include "libdeepprof/system_calls.h"

namespace deepprof {
namespace {

ThreadSet with_own_table;

// Closes what is open; false: the kernel's list cannot be read (no /proc, or no number free to read
// it by).
bool close_listed() noexcept {
  DIR* const numbers = ::opendir("/proc/thread-self/fd");
  if (numbers == nullptr) return false;
  while (const dirent* entry = ::readdir(numbers)) {
    const int number = std::atoi(entry->d_name);
    if (entry->d_name[0] != '.' && number != ::dirfd(numbers)) ::close(number);
  }
  ::closedir(numbers);
  return true;
}

void close_below_limit() noexcept {
  constexpr rlim_t kMost = rlim_t{1} << 20;  // a limit may be a billion
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) limit.rlim_cur = 1024;
  for (int number = 0; number < static_cast<int>(std::min(limit.rlim_cur, kMost)); ++number)
    ::close(number);
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
  if (::unshare(CLONE_FILES) != 0) return false;
  if (close_listed()) return true;
  // Number by number, a call each; what the job opened before it lowered its limit is on the list,
  // which can be read now that numbers are free.
  close_below_limit();
  close_listed();
  return true;
}

OwnDescriptors::OwnDescriptors() noexcept : slot_(ThreadSet::kMost) {
  if (system_calls_are_filtered()) return;
  if (leave_descriptors_by_close_range() || leave_descriptors_by_unshare())
    slot_ = with_own_table.add_self();
}

OwnDescriptors::~OwnDescriptors() { with_own_table.remove(slot_); }

bool OwnDescriptors::here() noexcept { return with_own_table.contains_self(); }

}  // namespace deepprof
