// While it lives, a write of this thread to a pipe without a reader, or beyond the job's limit on
// the size of files, fails instead of raising SIGPIPE or SIGXFSZ. For what we write on threads of
// the job; in our own every signal is blocked.
#pragma once

#include <signal.h>

namespace deepprof {

class WriteSignalsOff {
 public:
  WriteSignalsOff() noexcept {
    sigset_t both, pending;
    ::sigemptyset(&both);
    ::sigemptyset(&caused_);
    const bool known = ::sigpending(&pending) == 0;
    for (const int number : {SIGPIPE, SIGXFSZ}) {
      ::sigaddset(&both, number);
      if (known && ::sigismember(&pending, number) == 0) ::sigaddset(&caused_, number);
    }
    ::pthread_sigmask(SIG_BLOCK, &both, &before_);
  }
  // Takes back the signals that we caused, and only those.
  ~WriteSignalsOff() {
    const timespec now{};
    while (::sigtimedwait(&caused_, nullptr, &now) > 0) {}
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WriteSignalsOff(const WriteSignalsOff&) = delete;
  WriteSignalsOff& operator=(const WriteSignalsOff&) = delete;

 private:
  sigset_t before_, caused_;
};

}  // namespace deepprof
