#include "test/fake/api_calls.h"

#include <cctype>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace deepprof::fake {
namespace {

struct Row {
  const char* name;        // as a trace prints it
  const char* cupti_name;  // as cuptiGetCallbackName prints it: runtime calls carry their version
  Domain domain;
  uint32_t id;
};

// Call ids of CUDA 13.0's cupti_runtime_cbid.h and cupti_driver_cbid.h; ids never change between
// versions.
constexpr Row kCalls[] = {
    {"cuInit", "cuInit", Domain::driver, 1},
    {"cuDriverGetVersion", "cuDriverGetVersion", Domain::driver, 2},
    {"cuDeviceGetCount", "cuDeviceGetCount", Domain::driver, 4},
    {"cuDeviceGetAttribute", "cuDeviceGetAttribute", Domain::driver, 9},
    {"cuCtxSynchronize", "cuCtxSynchronize", Domain::driver, 17},
    {"cuModuleLoadData", "cuModuleLoadData", Domain::driver, 19},
    {"cuModuleLoadDataEx", "cuModuleLoadDataEx", Domain::driver, 20},
    {"cuModuleUnload", "cuModuleUnload", Domain::driver, 22},
    {"cuModuleGetFunction", "cuModuleGetFunction", Domain::driver, 23},
    {"cuEventRecord", "cuEventRecord", Domain::driver, 119},
    {"cuEventQuery", "cuEventQuery", Domain::driver, 120},
    {"cuEventSynchronize", "cuEventSynchronize", Domain::driver, 121},
    {"cuStreamCreate", "cuStreamCreate", Domain::driver, 124},
    {"cuStreamSynchronize", "cuStreamSynchronize", Domain::driver, 126},
    {"cuMemsetD8Async", "cuMemsetD8Async", Domain::driver, 216},
    {"cuMemsetD32Async", "cuMemsetD32Async", Domain::driver, 220},
    {"cuMemAlloc_v2", "cuMemAlloc_v2", Domain::driver, 243},
    {"cuMemFree_v2", "cuMemFree_v2", Domain::driver, 245},
    {"cuMemcpyHtoD_v2", "cuMemcpyHtoD_v2", Domain::driver, 276},
    {"cuMemcpyHtoDAsync_v2", "cuMemcpyHtoDAsync_v2", Domain::driver, 277},
    {"cuMemcpyDtoH_v2", "cuMemcpyDtoH_v2", Domain::driver, 278},
    {"cuMemcpyDtoHAsync_v2", "cuMemcpyDtoHAsync_v2", Domain::driver, 279},
    {"cuMemcpyDtoDAsync_v2", "cuMemcpyDtoDAsync_v2", Domain::driver, 281},
    {"cuStreamWaitEvent", "cuStreamWaitEvent", Domain::driver, 295},
    {"cuMemcpyAsync", "cuMemcpyAsync", Domain::driver, 306},
    {"cuLaunchKernel", "cuLaunchKernel", Domain::driver, 307},
    {"cuLaunchCooperativeKernel", "cuLaunchCooperativeKernel", Domain::driver, 477},
    {"cuGraphLaunch", "cuGraphLaunch", Domain::driver, 514},
    {"cuLaunchKernelEx", "cuLaunchKernelEx", Domain::driver, 652},
    {"__cudaLaunchKernel", "__cudaLaunchKernel_v13000", Domain::runtime, 505},
    {"cudaDriverGetVersion", "cudaDriverGetVersion_v3020", Domain::runtime, 1},
    {"cudaRuntimeGetVersion", "cudaRuntimeGetVersion_v3020", Domain::runtime, 2},
    {"cudaGetDeviceCount", "cudaGetDeviceCount_v3020", Domain::runtime, 3},
    {"cudaGetLastError", "cudaGetLastError_v3020", Domain::runtime, 10},
    {"cudaPeekAtLastError", "cudaPeekAtLastError_v3020", Domain::runtime, 11},
    {"cudaFuncGetAttributes", "cudaFuncGetAttributes_v3020", Domain::runtime, 15},
    {"cudaSetDevice", "cudaSetDevice_v3020", Domain::runtime, 16},
    {"cudaGetDevice", "cudaGetDevice_v3020", Domain::runtime, 17},
    {"cudaMalloc", "cudaMalloc_v3020", Domain::runtime, 20},
    {"cudaFree", "cudaFree_v3020", Domain::runtime, 22},
    {"cudaMallocHost", "cudaMallocHost_v3020", Domain::runtime, 25},
    {"cudaFreeHost", "cudaFreeHost_v3020", Domain::runtime, 26},
    {"cudaHostAlloc", "cudaHostAlloc_v3020", Domain::runtime, 27},
    {"cudaHostGetDevicePointer", "cudaHostGetDevicePointer_v3020", Domain::runtime, 28},
    {"cudaMemcpy", "cudaMemcpy_v3020", Domain::runtime, 31},
    {"cudaMemcpyAsync", "cudaMemcpyAsync_v3020", Domain::runtime, 41},
    {"cudaMemcpy2DAsync", "cudaMemcpy2DAsync_v3020", Domain::runtime, 44},
    {"cudaMemset", "cudaMemset_v3020", Domain::runtime, 49},
    {"cudaMemsetAsync", "cudaMemsetAsync_v3020", Domain::runtime, 51},
    {"cudaGetSymbolAddress", "cudaGetSymbolAddress_v3020", Domain::runtime, 53},
    {"cudaStreamSynchronize", "cudaStreamSynchronize_v3020", Domain::runtime, 131},
    {"cudaEventCreateWithFlags", "cudaEventCreateWithFlags_v3020", Domain::runtime, 134},
    {"cudaEventRecord", "cudaEventRecord_v3020", Domain::runtime, 135},
    {"cudaEventDestroy", "cudaEventDestroy_v3020", Domain::runtime, 136},
    {"cudaEventSynchronize", "cudaEventSynchronize_v3020", Domain::runtime, 137},
    {"cudaEventQuery", "cudaEventQuery_v3020", Domain::runtime, 138},
    {"cudaStreamWaitEvent", "cudaStreamWaitEvent_v3020", Domain::runtime, 147},
    {"cudaPointerGetAttributes", "cudaPointerGetAttributes_v4000", Domain::runtime, 151},
    {"cudaMemcpyPeerAsync", "cudaMemcpyPeerAsync_v4000", Domain::runtime, 161},
    {"cudaDeviceSynchronize", "cudaDeviceSynchronize_v3020", Domain::runtime, 165},
    {"cudaStreamCreateWithFlags", "cudaStreamCreateWithFlags_v5000", Domain::runtime, 198},
    {"cudaDeviceGetAttribute", "cudaDeviceGetAttribute_v5000", Domain::runtime, 200},
    {"cudaStreamCreateWithPriority", "cudaStreamCreateWithPriority_v5050", Domain::runtime, 202},
    {"cudaStreamGetPriority", "cudaStreamGetPriority_v5050", Domain::runtime, 203},
    {"cudaDeviceGetStreamPriorityRange", "cudaDeviceGetStreamPriorityRange_v5050", Domain::runtime,
     205},
    {"cudaOccupancyMaxActiveBlocksPerMultiprocessor",
     "cudaOccupancyMaxActiveBlocksPerMultiprocessor_v6050", Domain::runtime, 210},
    {"cudaLaunchKernel", "cudaLaunchKernel_v7000", Domain::runtime, 211},
    {"cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
     "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags_v7000", Domain::runtime, 251},
    {"cudaLaunchCooperativeKernel", "cudaLaunchCooperativeKernel_v9000", Domain::runtime, 269},
    {"cudaFuncSetAttribute", "cudaFuncSetAttribute_v9000", Domain::runtime, 273},
    {"cudaGraphLaunch", "cudaGraphLaunch_v10000", Domain::runtime, 311},
    {"cudaStreamBeginCapture", "cudaStreamBeginCapture_v10000", Domain::runtime, 315},
    {"cudaStreamIsCapturing", "cudaStreamIsCapturing_v10000", Domain::runtime, 317},
    {"cudaStreamEndCapture", "cudaStreamEndCapture_v10000", Domain::runtime, 319},
    {"cudaGetFuncBySymbol", "cudaGetFuncBySymbol_v11000", Domain::runtime, 336},
    {"cudaEventRecordWithFlags", "cudaEventRecordWithFlags_v11010", Domain::runtime, 370},
    {"cudaMallocAsync", "cudaMallocAsync_v11020", Domain::runtime, 373},
    {"cudaFreeAsync", "cudaFreeAsync_v11020", Domain::runtime, 375},
    {"cudaStreamGetCaptureInfo_v2", "cudaStreamGetCaptureInfo_v2_v11030", Domain::runtime, 409},
    {"cudaLaunchKernelExC", "cudaLaunchKernelExC_v11060", Domain::runtime, 430},
    {"cudaGetDeviceProperties", "cudaGetDeviceProperties_v12000", Domain::runtime, 440},
    {"cudaGraphInstantiate", "cudaGraphInstantiate_v12000", Domain::runtime, 443},
    {"cudaStreamGetCaptureInfo", "cudaStreamGetCaptureInfo_v12030", Domain::runtime, 461},
    {"cudaEventElapsedTime", "cudaEventElapsedTime_v12080", Domain::runtime, 486},
};

// Ids for names that CUDA does not have (HIP calls of an imported trace): far above the genuine
// ones, given out in the order of appearance.
constexpr uint32_t kFirstOwnId = 1000;

bool names_driver_call(std::string_view name) {
  return name.size() > 2 && name.substr(0, 2) == "cu" &&
         std::isupper(static_cast<unsigned char>(name[2]));
}

struct Table {
  std::mutex mutex;
  std::deque<std::string> own_names;  // never moves its strings: callers keep the pointers
  std::unordered_map<std::string_view, ApiCall> by_name;
  std::unordered_map<uint64_t, const char*> by_id;

  static uint64_t key(Domain domain, uint32_t id) {
    return (uint64_t{static_cast<uint32_t>(domain)} << 32) | id;
  }

  Table() {
    for (const Row& row : kCalls) {
      by_name[row.name] = {row.domain, row.id, row.cupti_name};
      by_id[key(row.domain, row.id)] = row.cupti_name;
    }
  }
};

// Never destroyed: threads of the job call in while the process ends.
Table& table() {
  static Table* const it = new Table;
  return *it;
}

}  // namespace

ApiCall find_api_call(const char* name) {
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  if (const auto found = t.by_name.find(name); found != t.by_name.end()) return found->second;
  const std::string& kept = t.own_names.emplace_back(name);
  const Domain domain = names_driver_call(kept) ? Domain::driver : Domain::runtime;
  const ApiCall call{domain, kFirstOwnId + static_cast<uint32_t>(t.own_names.size()), kept.c_str()};
  t.by_name[kept] = call;
  t.by_id[Table::key(domain, call.id)] = kept.c_str();
  return call;
}

const char* api_call_name(Domain domain, uint32_t id) {
  Table& t = table();
  const std::lock_guard lock(t.mutex);
  const auto found = t.by_id.find(Table::key(domain, id));
  return found == t.by_id.end() ? nullptr : found->second;
}

}  // namespace deepprof::fake
