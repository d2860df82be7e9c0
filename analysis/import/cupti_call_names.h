// Names of all calls of the runtime and driver API by CUPTI's callback id, for files that hold the
// id alone. Those that matter for launches have a role, too: libdeepprof/event/api_calls.h.
#pragma once

#include <cstdint>
#include <string_view>

namespace deepprof {

// "cudaGetDeviceProperties"; empty: CUPTI 13.4 does not know the id.
std::string_view cupti_call_name(bool runtime, int64_t cbid);

}  // namespace deepprof
