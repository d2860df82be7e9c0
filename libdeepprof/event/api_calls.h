// Names and roles of the CUDA calls that matter for launch order and idle time, by CUPTI's callback
// id. The ids are the same in CUPTI 11.8 to 13.4: a call keeps its id, new calls get new ones.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace deepprof {

enum class ApiRole : uint8_t {
  launch,  // starts kernels or host functions
  copy,
  fill,
  sync,  // makes the host or a stream wait, or records what is waited for
  allocation,
  setup,  // loads modules, instantiates graphs, resets the device: may block for long
  query,  // cheap polling, thousands of times a second: not selected by default
};

struct ApiCall {
  uint32_t cbid;
  std::string_view name;  // without the runtime's "_v7000" suffix
  ApiRole role;
};

// Ascending by cbid.
std::span<const ApiCall> runtime_calls();
std::span<const ApiCall> driver_calls();

// Is it one of those that DEEPPROF_API=launch records? Two array look-ups.
bool is_selected(bool runtime, uint32_t cbid);

// Null for a call that is in no table.
const ApiCall* find_api_call(bool runtime, uint32_t cbid);

}  // namespace deepprof
