// The stack of our threads in a process with so much thread-local data that it fills 2 MiB, but for
// a few KiB: glibc puts it into the stack.
#include <atomic>
#include <cstddef>

#include "libdeepprof/capture/clock.h"
#include "libdeepprof/capture/worker_thread.h"
#include "test/support/catch.h"

namespace deepprof {
namespace {

constexpr int64_t kSecond_ns = 1'000'000'000;
constexpr size_t kAlmostTheStack = (size_t{2} << 20) - (size_t{40} << 10);
constexpr size_t kUsed = size_t{512} << 10;

thread_local volatile std::byte data_of_the_job[kAlmostTheStack];

}  // namespace

TEST_CASE("thread-local data of the job takes nothing of the stack that our threads need") {
  data_of_the_job[0] = std::byte{1};
  std::atomic<bool> used{false};
  WorkerThread thread;
  REQUIRE(thread.start("worker", WorkerThread::Descriptors::jobs, [&] {
    volatile std::byte local[kUsed];
    for (size_t i = 0; i < kUsed; i += 1024) local[kUsed - 1 - i] = std::byte{1};
    used = local[0] == std::byte{1} || local[kUsed - 1] == std::byte{1};
  }));
  REQUIRE(thread.wait_until(monotonic_ns() + 60 * kSecond_ns));
  CHECK(used);
}

}  // namespace deepprof
