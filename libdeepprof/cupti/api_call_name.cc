#include "libdeepprof/cupti/api_call_name.h"

#include <algorithm>
#include <string_view>

#include "libdeepprof/event/api_calls.h"
#include "libdeepprof/text.h"

namespace deepprof::cupti {
namespace {

// "cudaLaunchKernel_v7000" is the version 7.0 entry point of cudaLaunchKernel: people know the
// latter.
std::string_view without_version(std::string_view name) {
  const size_t suffix = name.rfind("_v");
  if (suffix == std::string_view::npos || suffix + 2 == name.size()) return name;
  const std::string_view digits = name.substr(suffix + 2);
  const bool numeric =
      std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  return numeric ? name.substr(0, suffix) : name;
}

}  // namespace

std::string api_call_name(const Api& api, bool runtime, uint32_t cbid) {
  if (const ApiCall* call = find_api_call(runtime, cbid)) return std::string(call->name);
  const char* name = nullptr;
  if (api.get_callback_name != nullptr &&
      api.get_callback_name(runtime ? kDomainRuntime : kDomainDriver, cbid, &name) == kSuccess &&
      name != nullptr) {
    return std::string(runtime ? without_version(name) : std::string_view(name));
  }
  return format_text("%s call %u", runtime ? "runtime" : "driver", cbid);
}

}  // namespace deepprof::cupti
