#include "libdeepprof/cupti/others_end.h"

namespace deepprof::cupti {
namespace {

// Between two sessions a trace is built and written.
constexpr int64_t kLate_ns = 500'000'000;

bool leaves_the_mark() { return is_mapped("libtorch_cpu.so"); }

}  // namespace

bool OthersEnd::seen(int64_t now_ns) {
  const int before = last_value_;
  const bool late = now_ns - last_look_ns_ > kLate_ns;
  last_value_ = read();
  last_look_ns_ = now_ns;
  has_been_per_thread_ |= last_value_ == kPerThread;
  return before == kPerThread && last_value_ == kShared && !late && leaves_the_mark();
}

void OthersEnd::expect_another() {
  if (!has_been_per_thread_ || library_.api.set_attribute == nullptr) return;
  uint8_t on = kPerThread;
  size_t bytes = sizeof on;
  library_.api.set_attribute(kAttributePerThreadBuffers, &bytes, &on);
  last_value_ = read();
}

bool OthersEnd::would_show() const { return last_value_ == kPerThread && leaves_the_mark(); }

int OthersEnd::read() const {
  uint8_t value = 0;
  size_t bytes = sizeof value;
  if (library_.api.get_attribute == nullptr ||
      library_.api.get_attribute(kAttributePerThreadBuffers, &bytes, &value) != kSuccess)
    return kUnknown;
  return value;
}

}  // namespace deepprof::cupti
