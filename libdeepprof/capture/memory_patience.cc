#include "libdeepprof/capture/memory_patience.h"

#include <ctime>

#include "libdeepprof/capture/clock.h"
#include "libdeepprof/capture/thread_set.h"

namespace deepprof {
namespace {

constexpr int64_t kPatience_ns = 1'000'000'000;
constexpr long kPause_ns = 1'000'000;

ThreadSet patient_threads;

}  // namespace

bool MemoryPatience::wait() noexcept {
  const int64_t now_ns = monotonic_ns();
  if (give_up_ns_ == 0)
    give_up_ns_ = patient_threads.contains_self() ? now_ns + kPatience_ns : now_ns;
  if (now_ns >= give_up_ns_) return false;
  const timespec pause{0, kPause_ns};
  ::nanosleep(&pause, nullptr);
  return true;
}

PatientThread::PatientThread() noexcept : slot_(patient_threads.add_self()) {}

PatientThread::~PatientThread() { patient_threads.remove(slot_); }

}  // namespace deepprof
