// Whether torch.profiler is at work, by its own word: PyTorch has a function for it since 2.5. It
// counts sessions that record the processor, too, as they do by default, from the end of their
// warm-up on; and not the time in which they write down what they have.
//
// So it says no more than that a session goes on, or has been over for a while. Control thread.
#pragma once

#include <cstdint>

namespace deepprof::cupti {

using TorchProfilerIsOn = bool (*)();

// PyTorch's function, null where the process has none mapped.
TorchProfilerIsOn find_torch_profiler();

class TorchProfiler {
 public:
  // A session has been over for long when it is over for this time, and for as long as it took:
  // by then its records are fetched, and a next one of the same schedule has shown itself.
  static constexpr int64_t kLong_ns = 60'000'000'000;

  explicit TorchProfiler(TorchProfilerIsOn (*find)()) : find_(find), is_on_(find()) {}

  // A job may import PyTorch long after its first call of CUDA.
  void look_for_it() {
    if (!can_tell()) is_on_ = find_();
  }

  bool can_tell() const { return is_on_ != nullptr; }
  bool is_on() const { return can_tell() && is_on_(); }

  // On every timer tick.
  void look(int64_t now_ns);
  // A session went on at `since_ns`, or later.
  bool seen(int64_t since_ns) const { return last_on_ns_ != 0 && last_on_ns_ >= since_ns; }
  // Such a session has been over for long.
  bool long_over(int64_t since_ns, int64_t now_ns) const;
  // Sessions seen so far count no more.
  void forget() { last_on_ns_ = 0; }

 private:
  TorchProfilerIsOn (*const find_)();
  TorchProfilerIsOn is_on_;
  int64_t on_since_ns_ = 0;
  int64_t last_on_ns_ = 0;  // 0: not seen
  bool was_on_ = false;
};

}  // namespace deepprof::cupti
