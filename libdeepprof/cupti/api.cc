#include "libdeepprof/cupti/api.h"

#include "libdeepprof/text.h"

namespace deepprof::cupti {
namespace {

struct ResultName {
  ResultCode code;
  const char* name;
};

constexpr ResultName kResultNames[] = {
    {0, "CUPTI_SUCCESS"},
    {1, "CUPTI_ERROR_INVALID_PARAMETER"},
    {7, "CUPTI_ERROR_INVALID_OPERATION"},
    {8, "CUPTI_ERROR_OUT_OF_MEMORY"},
    {9, "CUPTI_ERROR_HARDWARE"},
    {11, "CUPTI_ERROR_API_NOT_IMPLEMENTED"},
    {12, "CUPTI_ERROR_MAX_LIMIT_REACHED"},
    {13, "CUPTI_ERROR_NOT_READY"},
    {kNotCompatible, "CUPTI_ERROR_NOT_COMPATIBLE"},
    {kNotInitialized, "CUPTI_ERROR_NOT_INITIALIZED"},
    {21, "CUPTI_ERROR_INVALID_KIND"},
    {23, "CUPTI_ERROR_DISABLED"},
    {26, "CUPTI_ERROR_HARDWARE_BUSY"},
    {27, "CUPTI_ERROR_NOT_SUPPORTED"},
    {33, "CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED"},
    {35, "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"},
    {36, "CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED"},
    {38, "CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED"},
    {kMultipleSubscribers, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"},
    {40, "CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES"},
    {41, "CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED"},
    {42, "CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED"},
    {43, "CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED"},
    {45, "CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED"},
    {kUnknownError, "CUPTI_ERROR_UNKNOWN"},
};

}  // namespace

std::string result_text(ResultCode code) {
  for (const ResultName& row : kResultNames) {
    if (row.code == code) return format_text("%s (%d)", row.name, code);
  }
  return format_text("CUPTI error %d", code);
}

}  // namespace deepprof::cupti
