// What the categories of PyTorch's profiler mean, as data: names changed over the years and differ
// by vendor.
#pragma once

#include <cstdint>
#include <string_view>

namespace deepprof {

enum class KinetoEvent : uint8_t {
  ignored,  // arrows, instants, GPU copies of annotations: nothing happened there
  kernel,
  memcpy,
  memset,
  call,      // runtime or driver API
  sync,      // a recorded wait
  overhead,  // the profiler itself
  annotation,
  framework_op,
  python,
  other_device,  // of an accelerator that is no GPU
};

KinetoEvent kineto_event(std::string_view category);

}  // namespace deepprof
