// The calls into CUPTI that we use, under our own types: no CUDA header is needed to build, and
// nothing of CUPTI's is named outside this folder. Filled by library.h from the copy that the
// process uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace deepprof::cupti {

using ResultCode = int;  // CUptiResult
inline constexpr ResultCode kSuccess = 0;
// another API family is in use in this process
inline constexpr ResultCode kNotCompatible = 14;
inline constexpr ResultCode kNotInitialized = 15;
inline constexpr ResultCode kMultipleSubscribers = 39;  // another tool holds the subscriber
inline constexpr ResultCode kUnknownError = 999;

// "CUPTI_ERROR_NOT_INITIALIZED (15)": the name that the documentation uses, and the number.
std::string result_text(ResultCode code);

using Subscriber = void*;
using BufferRequested = void (*)(uint8_t** buffer, size_t* bytes, size_t* max_records);
using BufferCompleted = void (*)(void* context, uint32_t stream, uint8_t* buffer, size_t bytes,
                                 size_t valid_bytes);
using BufferRequestedV2 = void (*)(uint8_t** buffer, size_t* bytes, size_t* max_records,
                                   void* info);
using BufferCompletedV2 = void (*)(uint8_t* buffer, size_t bytes, size_t valid_bytes, void* info);
using TimestampCallback = uint64_t (*)();
using GetNextRecord = ResultCode (*)(uint8_t* buffer, size_t valid_bytes, void** record);

inline constexpr uint32_t kFlushForced = 1;  // CUPTI_ACTIVITY_FLAG_FLUSH_FORCED
// CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER
inline constexpr uint32_t kAttributeZeroedOutBuffer = 5;
// CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, since 12.3; 1 by default since 13.0
inline constexpr uint32_t kAttributePerThreadBuffers = 9;
inline constexpr uint32_t kDomainDriver = 1, kDomainRuntime = 2;  // CUpti_CallbackDomain

// CUpti_SubscriberParams.
struct SubscriberParams {
  size_t struct_bytes = sizeof(SubscriberParams);
  const char* name = nullptr;
  char* old_name = nullptr;  // CUPTI writes the name of the tool that is in the way
  size_t old_name_bytes = 0;
  uint8_t allow_multiple = 0;
  uint8_t padding[7] = {};
};
static_assert(sizeof(SubscriberParams) == 40);

// A null pointer: the loaded CUPTI does not export the call. Those marked (always) are never null.
struct Api {
  ResultCode (*get_version)(uint32_t* version) = nullptr;  // (always)
  ResultCode (*get_timestamp)(uint64_t* timestamp_ns) = nullptr;
  ResultCode (*register_callbacks)(BufferRequested, BufferCompleted) = nullptr;  // (always)
  ResultCode (*enable)(uint32_t kind) = nullptr;                                 // (always)
  ResultCode (*flush_all)(uint32_t flags) = nullptr;                             // (always)
  GetNextRecord get_next_record = nullptr;                                       // (always)
  ResultCode (*get_dropped)(void* context, uint32_t stream, size_t* dropped) = nullptr;
  ResultCode (*register_timestamp_callback)(TimestampCallback) = nullptr;
  ResultCode (*get_attribute)(uint32_t attribute, size_t* bytes, void* value) = nullptr;
  ResultCode (*set_attribute)(uint32_t attribute, size_t* bytes, void* value) = nullptr;
  // since 12.8
  ResultCode (*enable_runtime_api)(uint32_t cbid, uint8_t enable) = nullptr;
  // since 12.8
  ResultCode (*enable_driver_api)(uint32_t cbid, uint8_t enable) = nullptr;
  ResultCode (*get_callback_name)(uint32_t domain, uint32_t cbid, const char** name) = nullptr;

  // The family that lets several tools trace at once; complete since 13.3 (13.0 has subscribe
  // alone).
  ResultCode (*subscribe_v2)(Subscriber*, void* callback, void* user_data,
                             SubscriberParams*) = nullptr;
  ResultCode (*register_callbacks_v2)(Subscriber, BufferRequestedV2, BufferCompletedV2) = nullptr;
  ResultCode (*enable_v2)(Subscriber, uint32_t kind, void* config) = nullptr;
  ResultCode (*get_next_record_v2)(Subscriber, uint8_t* buffer, size_t valid_bytes,
                                   void** record) = nullptr;
  ResultCode (*get_dropped_v2)(Subscriber, void* context, uint32_t stream,
                               size_t* dropped) = nullptr;
  ResultCode (*set_attribute_v2)(Subscriber, uint32_t attribute, size_t* bytes,
                                 void* value) = nullptr;
  ResultCode (*enable_runtime_api_v2)(Subscriber, uint32_t cbid, uint8_t enable) = nullptr;
  ResultCode (*enable_driver_api_v2)(Subscriber, uint32_t cbid, uint8_t enable) = nullptr;
  ResultCode (*get_timestamp_v2)(Subscriber, uint64_t* timestamp_ns) = nullptr;

  // Everything of the v2 family that we call is there. CUPTI forbids mixing it with v1.
  bool has_v2() const {
    return subscribe_v2 && register_callbacks_v2 && enable_v2 && get_next_record_v2 &&
           get_dropped_v2 && set_attribute_v2;
  }
};

}  // namespace deepprof::cupti
