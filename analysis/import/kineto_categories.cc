#include "analysis/import/kineto_categories.h"

namespace deepprof {
namespace {

constexpr struct {
  std::string_view category;
  KinetoEvent event;
} kCategories[] = {
    {"cpu_op", KinetoEvent::framework_op},
    {"python_function", KinetoEvent::python},
    {"kernel", KinetoEvent::kernel},
    {"cuda_runtime", KinetoEvent::call},
    {"cuda_driver", KinetoEvent::call},
    {"gpu_memcpy", KinetoEvent::memcpy},
    {"gpu_memset", KinetoEvent::memset},
    {"cuda_sync", KinetoEvent::sync},
    {"user_annotation", KinetoEvent::annotation},
    {"overhead", KinetoEvent::overhead},
    {"hip_runtime", KinetoEvent::call},
    {"xpu_runtime", KinetoEvent::call},
    {"xpu_driver", KinetoEvent::call},
    {"privateuse1_runtime", KinetoEvent::call},
    {"privateuse1_driver", KinetoEvent::call},
    {"mtia_runtime", KinetoEvent::other_device},
    {"mtia_ccp_events", KinetoEvent::other_device},
    {"mtia_insight", KinetoEvent::other_device},
    {"hpu_op", KinetoEvent::other_device},
    // The traces of 2021.
    {"Operator", KinetoEvent::framework_op},
    {"Kernel", KinetoEvent::kernel},
    {"Runtime", KinetoEvent::call},
    {"Memcpy", KinetoEvent::memcpy},
    {"Memset", KinetoEvent::memset},
    {"Python", KinetoEvent::python},
};

}  // namespace

KinetoEvent kineto_event(std::string_view category) {
  for (const auto& row : kCategories) {
    if (row.category == category) return row.event;
  }
  return KinetoEvent::ignored;
}

}  // namespace deepprof
