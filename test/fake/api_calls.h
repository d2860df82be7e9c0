// Which CUPTI domain and call id an API function has, and back. The driver stand-in owns the table,
// so that host program and replay CUPTI agree on ids for names that CUDA does not know.
#pragma once

#include <cstdint>

namespace deepprof::fake {

enum class Domain : uint32_t { driver = 1, runtime = 2 };  // CUpti_CallbackDomain

struct ApiCall {
  Domain domain;
  uint32_t id;             // CUpti_CallbackId
  const char* cupti_name;  // what cuptiGetCallbackName prints: "cudaLaunchKernel_v7000"
};

// Thread-safe. A name that CUDA does not have gets an id of its own.
ApiCall find_api_call(const char* name);
// nullptr: no such call.
const char* api_call_name(Domain domain, uint32_t id);

}  // namespace deepprof::fake
