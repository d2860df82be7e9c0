#include "libdeepprof/capture/worker_thread.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

#include <cerrno>
#include <optional>

#include "libdeepprof/capture/clock.h"
#include "libdeepprof/capture/doorbell.h"
#include "libdeepprof/capture/memory_patience.h"
#include "libdeepprof/capture/own_descriptors.h"

namespace deepprof {

struct WorkerThread::Shared {
  std::function<void()> body;
  const char* name;
  Descriptors descriptors;
  std::atomic<bool> done{false};
  Doorbell finished;
};

namespace {

// Whatever the job's limit is: what demangles names recurses, which 64 KiB may be too little for
// (`ulimit -s 64`), and seven threads of gigabytes are too much of `ulimit -v`. Mapped, not
// resident.
constexpr size_t kStack_bytes = size_t{2} << 20;

// Of a thread's stack glibc takes room first for the thread-local data of the libraries that the
// process started with, which may be megabytes. Its own function for that is used by Rust's and
// Java's runtimes, too.
size_t taken_by_glibc(const pthread_attr_t& attributes) {
  auto* const least_stack = reinterpret_cast<size_t (*)(const pthread_attr_t*)>(
      ::dlsym(RTLD_DEFAULT, "__pthread_get_minstack"));
  return least_stack == nullptr ? 0 : least_stack(&attributes);
}

int create(pthread_t* thread, void* (*body)(void*), void* argument) {
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, kStack_bytes + taken_by_glibc(attributes));
  int failed = ::pthread_create(thread, &attributes, body, argument);
  ::pthread_attr_destroy(&attributes);
  if (failed == EINVAL) failed = ::pthread_create(thread, nullptr, body, argument);
  return failed;
}

template <typename Shared>
void* run(void* argument) {
  const std::unique_ptr<std::shared_ptr<Shared>> shared(
      static_cast<std::shared_ptr<Shared>*>(argument));
  // Makes glibc allocate this thread's share of our thread-local data now. It would do so at the
  // first throw, which may be a bad_alloc, and glibc ends the process when it has no memory for it.
  // volatile: the call must stay
  [[maybe_unused]] void* volatile thread_local_data = abi::__cxa_get_globals();
  ::pthread_setname_np(::pthread_self(), (*shared)->name);
  const PatientThread patient;
  std::optional<OwnDescriptors> own_descriptors;
  if ((*shared)->descriptors == WorkerThread::Descriptors::own) own_descriptors.emplace();
  try {
    (*shared)->body();
  } catch (...) {
    // A body handles what it throws, but its handler may find no memory either: the thread ends,
    // not the job.
  }
  (*shared)->done.store(true, std::memory_order_release);
  (*shared)->finished.ring();
  return nullptr;
}

}  // namespace

bool WorkerThread::start(const char* name, Descriptors descriptors, std::function<void()> body) {
  shared_ = std::make_shared<Shared>();
  shared_->body = std::move(body);
  shared_->name = name;
  shared_->descriptors = descriptors;
  auto handed_over = std::make_unique<std::shared_ptr<Shared>>(shared_);

  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const bool started = create(&thread, &run<Shared>, handed_over.get()) == 0;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);

  if (!started) {
    shared_.reset();
    return false;
  }
  handed_over.release();
  ::pthread_detach(thread);
  return true;
}

bool WorkerThread::wait_until(int64_t deadline_ns) {
  if (!shared_) return true;
  while (!shared_->done.load(std::memory_order_acquire)) {
    const int64_t left = deadline_ns - monotonic_ns();
    if (left <= 0) return false;
    shared_->finished.wait_for(left);
  }
  return true;
}

}  // namespace deepprof
