// Makes CUPTI trace: registers the buffer callbacks and enables the kinds of records that are
// wanted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libdeepprof/cupti/api.h"
#include "libdeepprof/cupti/library.h"
#include "libdeepprof/cupti/strides.h"
#include "libdeepprof/result.h"

namespace deepprof::cupti {

// Which API calls are recorded.
enum class ApiSelection : uint8_t {
  off,
  // those of api_calls.h but for queries: launches, copies, fills, waits, allocations, set-up
  launch,
  all,
};

struct Wanted {
  ApiSelection api = ApiSelection::launch;
  bool whole_graphs = false;  // GRAPH_TRACE: one op a graph launch, at the price of its kernels
  bool kernels = true, copies = true, fills = true, syncs = true, overheads = true;
  bool allocations = false;
};

// cuDeviceGetCount: a driver call that needs no context, changes nothing and returns at once.
inline constexpr uint32_t kWitnessCall = 4;

struct Activation {
  Subscriber subscriber = nullptr;  // v2 only
  bool v2 = false;                  // several tools may trace side by side
  bool witness_call = false;        // kWitnessCall is recorded (witness.h)
  bool zeroed_buffers = false;      // CUPTI counts on zeroed buffers from us
  bool selected_calls = false;      // only chosen API calls are recorded; false: all, or none
  // "overhead: CUPTI_ERROR_INVALID_KIND (21)": kinds that are missing
  std::vector<std::string> refused;
  std::string note;  // why v2 was not used though it is there; empty: nothing to say
};

// Start-up thread, and once more for each re-arming. Fails when no kind of GPU op can be traced.
Result<Activation> activate(const Library& library, const Wanted& wanted);

// v1 only: takes the callbacks and kinds back after another tool in the process has replaced them.
Result<Activation> reactivate(const Library& library, const Wanted& wanted);

// The record sizes of the loaded CUPTI, asked through the family of calls that is in use.
Strides probe_strides(const Library& library, const Activation& activation);

}  // namespace deepprof::cupti
