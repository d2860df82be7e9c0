// A thread of ours inside somebody else's process: named, with every signal blocked (the job's
// signals are for the job's threads), never joined without a time limit.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

namespace deepprof {

class WorkerThread {
 public:
  WorkerThread() = default;
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

  // Whose descriptors the thread opens and closes (own_descriptors.h).
  enum class Descriptors { jobs, own };

  // False: the thread could not be created. `body` must not throw. `name` has at most 15
  // characters.
  bool start(const char* name, Descriptors descriptors, std::function<void()> body);

  // True once the body has returned; waits for it until the monotonic time `deadline_ns`. True at
  // once when the thread was never started. A thread that does not end in time is left alone: what
  // it uses must live as long as the process.
  bool wait_until(int64_t deadline_ns);

 private:
  // Shared with the thread, so that a thread left alone touches nothing of a WorkerThread that is
  // gone.
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace deepprof
