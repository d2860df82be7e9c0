// A bad machine, preloaded into a job (LD_PRELOAD): system calls and allocations that fail on
// demand. Writes fail only for files named *.dprof, allocations only where the injected library
// asks for memory on a thread of its own (dp-*): the job and the stand-ins stay well.
//
//   FAULTY_HOST=eintr=N,short=N,enospc=BYTES,full=N,slow_ms=MS,slow_at=N,slow=N,malloc=N,step_s=S,
//   step_at_ms=MS,seed=S (each optional, in one word)
//
//   eintr, short   every Nth write is interrupted, or writes half
//   enospc         the disk is full after so many bytes
//   full           after every Nth write the disk is full for the next ten
//   slow_ms        the write number slow_at, and every slow-th, takes so long
//   malloc         every Nth allocation of the library's threads fails
//   step_s         the wall clock is set forward by so much, so long after the start of the process
//   seed           not every Nth one, but one in N at random
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace {

struct Faults {
  uint64_t eintr = 0, half = 0, enospc = UINT64_MAX, full = 0, slow_ms = 0, slow_at = 0, slow = 0,
           seed = 0;
  uint64_t step_s = 0, step_at_ms = 0;
};

uint64_t value_of(const char* text, const char* key, uint64_t otherwise) {
  const char* at = text ? strstr(text, key) : nullptr;
  return at ? strtoull(at + strlen(key), nullptr, 10) : otherwise;
}

const Faults& faults() {
  static const Faults it = [] {
    const char* text = getenv("FAULTY_HOST");
    Faults f;
    f.eintr = value_of(text, "eintr=", 0);
    f.half = value_of(text, "short=", 0);
    f.enospc = value_of(text, "enospc=", UINT64_MAX);
    f.slow_ms = value_of(text, "slow_ms=", 0);
    f.full = value_of(text, "full=", 0);
    f.slow_at = value_of(text, "slow_at=", 0);
    f.slow = value_of(text, "slow=", 0);
    f.step_s = value_of(text, "step_s=", 0);
    f.step_at_ms = value_of(text, "step_at_ms=", 0);
    f.seed = value_of(text, "seed=", 0);
    return f;
  }();
  return it;
}

// Whether the fault that comes once in `every` comes at event `number` of its kind.
bool strikes(uint64_t every, uint64_t number, uint64_t kind) {
  if (every == 0) return false;
  if (faults().seed == 0) return number % every == 0;
  uint64_t mixed = (number * 4 + kind + faults().seed) * 0x9e3779b97f4a7c15u;  // splitmix64
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
  return (mixed ^ mixed >> 31) % every == 0;
}

void pause_ms(uint64_t ms) {
  const timespec pause{static_cast<time_t>(ms / 1000), static_cast<long>(ms % 1000 * 1'000'000)};
  nanosleep(&pause, nullptr);
}

bool disk_is_full(uint64_t write) {
  constexpr uint64_t kFullFor = 10;
  static std::atomic<uint64_t> full_until{0};
  if (write < full_until) return true;
  if (!strikes(faults().full, write, 0)) return false;
  full_until = write + kFullFor;
  return true;
}

bool is_trace(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/thread-self/fd/%d", fd);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 6) return false;
  path[length] = 0;
  return strstr(path, ".dprof") != nullptr;
}

template <typename Function>
Function* next(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool on_thread_of_ours() {
  char name[16] = "";
  return pthread_getname_np(pthread_self(), name, sizeof name) == 0 && strncmp(name, "dp-", 3) == 0;
}

struct Range {
  uintptr_t from = 0, to = 0;
};

// Where the injected library's code lies; it is there before any thread of its own.
Range library_range() {
  Range range;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* found) {
        if (!strstr(info->dlpi_name, "libdeepprof_inject")) return 0;
        auto* out = static_cast<Range*>(found);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
          *out = {info->dlpi_addr + segment.p_vaddr,
                  info->dlpi_addr + segment.p_vaddr + segment.p_memsz};
        }
        return 1;
      },
      &range);
  return range;
}

bool asked_by_library(const void* caller) {
  static const Range range = library_range();
  const auto at = reinterpret_cast<uintptr_t>(caller);
  return at >= range.from && at < range.to;
}

std::atomic<uint64_t> allocations{0};
bool allocation_fails(const void* caller) {
  static const uint64_t every = value_of(getenv("FAULTY_HOST"), "malloc=", 0);
  return every != 0 && on_thread_of_ours() && asked_by_library(caller) &&
         strikes(every, ++allocations, 0);
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] ssize_t pwrite(int fd, const void* data, size_t size, off_t offset) {
  static auto* const real = next(&pwrite, "pwrite");
  static std::atomic<uint64_t> writes{0}, bytes{0};
  if (!is_trace(fd)) return real(fd, data, size, offset);
  const Faults& f = faults();
  const uint64_t number = ++writes;
  if (number == f.slow_at || strikes(f.slow, number, 1)) pause_ms(f.slow_ms);
  if (strikes(f.eintr, number, 2)) return errno = EINTR, -1;
  if (bytes + size > f.enospc || disk_is_full(number)) return errno = ENOSPC, -1;
  if (size > 1 && strikes(f.half, number, 3)) size /= 2;
  bytes += size;
  return real(fd, data, size, offset);
}

[[gnu::visibility("default")]] ssize_t pwrite64(int fd, const void* data, size_t size,
                                                off_t offset) {
  return pwrite(fd, data, size, offset);
}

[[gnu::visibility("default")]] int clock_gettime(clockid_t clock, timespec* time) {
  static auto* const real = next(&clock_gettime, "clock_gettime");
  const int result = real(clock, time);
  if (clock != CLOCK_REALTIME || faults().step_s == 0) return result;
  timespec now;
  real(CLOCK_MONOTONIC, &now);
  const auto ms = [](const timespec& t) {
    return static_cast<uint64_t>(t.tv_sec) * 1000 + static_cast<uint64_t>(t.tv_nsec) / 1'000'000;
  };
  static const uint64_t began_ms = ms(now);
  if (ms(now) - began_ms >= faults().step_at_ms)
    time->tv_sec += static_cast<time_t>(faults().step_s);
  return result;
}

// glibc's own names: dlsym allocates, so it cannot be asked from here.
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* old, size_t size);

[[gnu::visibility("default")]] void* malloc(size_t size) {
  if (allocation_fails(__builtin_return_address(0))) return errno = ENOMEM, nullptr;
  return __libc_malloc(size);
}
[[gnu::visibility("default")]] void* calloc(size_t count, size_t size) {
  if (allocation_fails(__builtin_return_address(0))) return errno = ENOMEM, nullptr;
  return __libc_calloc(count, size);
}
[[gnu::visibility("default")]] void* realloc(void* old, size_t size) {
  if (allocation_fails(__builtin_return_address(0))) return errno = ENOMEM, nullptr;
  return __libc_realloc(old, size);
}
}
