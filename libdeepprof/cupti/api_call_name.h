// What a call is called, known to our tables or not.
#pragma once

#include <cstdint>
#include <string>

#include "libdeepprof/cupti/api.h"

namespace deepprof::cupti {

// "cudaLaunchKernel": from the tables, else what CUPTI calls it, else "runtime call 999".
std::string api_call_name(const Api& api, bool runtime, uint32_t cbid);

}  // namespace deepprof::cupti
