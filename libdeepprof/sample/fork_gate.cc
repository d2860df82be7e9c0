#include "libdeepprof/sample/fork_gate.h"

#include <pthread.h>

#include <atomic>
#include <ctime>

#include "libdeepprof/capture/clock.h"

namespace deepprof {
namespace {

std::atomic<int> forks{0};  // being made; several threads may fork at once
std::atomic<bool> calling{false};
std::atomic<bool> installed{false};

void pause_briefly() {
  const timespec moment{0, 20'000};
  ::nanosleep(&moment, nullptr);
}

// Sequentially consistent on both sides: either the fork sees the call, or the call sees the fork.
void before_fork() {
  forks.fetch_add(1);
  const int64_t give_up_ns = monotonic_ns() + ForkGate::kLongest_ns;
  while (calling.load() && monotonic_ns() < give_up_ns) pause_briefly();
}
void after_fork_in_parent() { forks.fetch_sub(1); }
void after_fork_in_child() {
  forks.store(0);
  calling.store(false);
}

}  // namespace

void ForkGate::install() {
  if (!installed.exchange(true))
    ::pthread_atfork(&before_fork, &after_fork_in_parent, &after_fork_in_child);
}

ForkGate::ForkGate() {
  while (true) {
    calling.store(true);
    if (forks.load() == 0) return;
    calling.store(false);
    pause_briefly();
  }
}

ForkGate::~ForkGate() { calling.store(false); }

}  // namespace deepprof
