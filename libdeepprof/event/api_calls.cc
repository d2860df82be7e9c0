#include "libdeepprof/event/api_calls.h"

#include <algorithm>
#include <bitset>

namespace deepprof {
namespace {

using enum ApiRole;

// clang-format off
constexpr ApiCall kRuntimeCalls[] = {
    {13, "cudaLaunch", launch}, {20, "cudaMalloc", allocation}, {21, "cudaMallocPitch", allocation},
    {22, "cudaFree", allocation}, {23, "cudaMallocArray", allocation},
    {24, "cudaFreeArray", allocation}, {25, "cudaMallocHost", allocation},
    {26, "cudaFreeHost", allocation}, {27, "cudaHostAlloc", allocation}, {31, "cudaMemcpy", copy},
    {32, "cudaMemcpy2D", copy}, {33, "cudaMemcpyToArray", copy}, {34, "cudaMemcpy2DToArray", copy},
    {35, "cudaMemcpyFromArray", copy}, {36, "cudaMemcpy2DFromArray", copy},
    {37, "cudaMemcpyArrayToArray", copy}, {38, "cudaMemcpy2DArrayToArray", copy},
    {39, "cudaMemcpyToSymbol", copy}, {40, "cudaMemcpyFromSymbol", copy},
    {41, "cudaMemcpyAsync", copy}, {42, "cudaMemcpyToArrayAsync", copy},
    {43, "cudaMemcpyFromArrayAsync", copy}, {44, "cudaMemcpy2DAsync", copy},
    {45, "cudaMemcpy2DToArrayAsync", copy}, {46, "cudaMemcpy2DFromArrayAsync", copy},
    {47, "cudaMemcpyToSymbolAsync", copy}, {48, "cudaMemcpyFromSymbolAsync", copy},
    {49, "cudaMemset", fill}, {50, "cudaMemset2D", fill}, {51, "cudaMemsetAsync", fill},
    {52, "cudaMemset2DAsync", fill}, {126, "cudaThreadSynchronize", sync},
    {131, "cudaStreamSynchronize", sync}, {132, "cudaStreamQuery", query},
    {135, "cudaEventRecord", sync}, {137, "cudaEventSynchronize", sync},
    {138, "cudaEventQuery", query}, {140, "cudaMalloc3D", allocation},
    {141, "cudaMalloc3DArray", allocation}, {142, "cudaMemset3D", fill},
    {143, "cudaMemset3DAsync", fill}, {144, "cudaMemcpy3D", copy}, {145, "cudaMemcpy3DAsync", copy},
    {147, "cudaStreamWaitEvent", sync}, {152, "cudaHostRegister", allocation},
    {153, "cudaHostUnregister", allocation}, {160, "cudaMemcpyPeer", copy},
    {161, "cudaMemcpyPeerAsync", copy}, {162, "cudaMemcpy3DPeer", copy},
    {163, "cudaMemcpy3DPeerAsync", copy}, {164, "cudaDeviceReset", setup},
    {165, "cudaDeviceSynchronize", sync}, {192, "cudaMallocMipmappedArray", allocation},
    {194, "cudaFreeMipmappedArray", allocation}, {206, "cudaMallocManaged", allocation},
    {211, "cudaLaunchKernel", launch}, {213, "cudaLaunch_ptsz", launch},
    {214, "cudaLaunchKernel_ptsz", launch}, {215, "cudaMemcpy_ptds", copy},
    {216, "cudaMemcpy2D_ptds", copy}, {217, "cudaMemcpyToArray_ptds", copy},
    {218, "cudaMemcpy2DToArray_ptds", copy}, {219, "cudaMemcpyFromArray_ptds", copy},
    {220, "cudaMemcpy2DFromArray_ptds", copy}, {221, "cudaMemcpyArrayToArray_ptds", copy},
    {222, "cudaMemcpy2DArrayToArray_ptds", copy}, {223, "cudaMemcpyToSymbol_ptds", copy},
    {224, "cudaMemcpyFromSymbol_ptds", copy}, {225, "cudaMemcpyAsync_ptsz", copy},
    {226, "cudaMemcpyToArrayAsync_ptsz", copy}, {227, "cudaMemcpyFromArrayAsync_ptsz", copy},
    {228, "cudaMemcpy2DAsync_ptsz", copy}, {229, "cudaMemcpy2DToArrayAsync_ptsz", copy},
    {230, "cudaMemcpy2DFromArrayAsync_ptsz", copy}, {231, "cudaMemcpyToSymbolAsync_ptsz", copy},
    {232, "cudaMemcpyFromSymbolAsync_ptsz", copy}, {233, "cudaMemset_ptds", fill},
    {234, "cudaMemset2D_ptds", fill}, {235, "cudaMemsetAsync_ptsz", fill},
    {236, "cudaMemset2DAsync_ptsz", fill}, {239, "cudaStreamSynchronize_ptsz", sync},
    {240, "cudaStreamQuery_ptsz", query}, {242, "cudaEventRecord_ptsz", sync},
    {243, "cudaMemset3D_ptds", fill}, {244, "cudaMemset3DAsync_ptsz", fill},
    {245, "cudaMemcpy3D_ptds", copy}, {246, "cudaMemcpy3DAsync_ptsz", copy},
    {247, "cudaStreamWaitEvent_ptsz", sync}, {249, "cudaMemcpy3DPeer_ptds", copy},
    {250, "cudaMemcpy3DPeerAsync_ptsz", copy}, {252, "cudaMemPrefetchAsync", copy},
    {253, "cudaMemPrefetchAsync_ptsz", copy}, {269, "cudaLaunchCooperativeKernel", launch},
    {270, "cudaLaunchCooperativeKernel_ptsz", launch},
    {272, "cudaLaunchCooperativeKernelMultiDevice", launch}, {284, "cudaLaunchHostFunc", launch},
    {285, "cudaLaunchHostFunc_ptsz", launch}, {310, "cudaGraphInstantiate", setup},
    {311, "cudaGraphLaunch", launch}, {312, "cudaGraphLaunch_ptsz", launch},
    {335, "cudaGraphExecUpdate", setup}, {348, "cudaGraphUpload", setup},
    {349, "cudaGraphUpload_ptsz", setup},
    {370, "cudaEventRecordWithFlags", sync}, {371, "cudaEventRecordWithFlags_ptsz", sync},
    {373, "cudaMallocAsync", allocation}, {374, "cudaMallocAsync_ptsz", allocation},
    {375, "cudaFreeAsync", allocation}, {376, "cudaFreeAsync_ptsz", allocation},
    {391, "cudaMallocFromPoolAsync", allocation}, {392, "cudaMallocFromPoolAsync_ptsz", allocation},
    {418, "cudaGraphInstantiateWithFlags", setup}, {430, "cudaLaunchKernelExC", launch},
    {431, "cudaLaunchKernelExC_ptsz", launch}, {436, "cudaGraphInstantiateWithParams", setup},
    {437, "cudaGraphInstantiateWithParams_ptsz", setup}, {443, "cudaGraphInstantiate", setup},
    {449, "cudaMemPrefetchAsync", copy}, {450, "cudaMemPrefetchAsync_ptsz", copy},
    {470, "cudaLibraryLoadData", setup}, {471, "cudaLibraryLoadFromFile", setup},
    {482, "cudaMemcpyBatchAsync", copy}, {483, "cudaMemcpyBatchAsync_ptsz", copy},
    {484, "cudaMemcpy3DBatchAsync", copy}, {485, "cudaMemcpy3DBatchAsync_ptsz", copy},
    {487, "cudaMemPrefetchBatchAsync", copy}, {488, "cudaMemPrefetchBatchAsync_ptsz", copy},
    // What <<<>>> is compiled to since CUDA 13: __cudaLaunchKernel to CUPTI, to people what it was
    // before.
    {505, "cudaLaunchKernel", launch}, {506, "cudaLaunchKernel_ptsz", launch},
    {509, "cudaMemcpyBatchAsync", copy}, {510, "cudaMemcpyBatchAsync_ptsz", copy},
    {511, "cudaMemcpy3DBatchAsync", copy}, {512, "cudaMemcpy3DBatchAsync_ptsz", copy},
    {534, "cudaExecutionCtxSynchronize", sync}, {550, "cudaLaunchHostFunc_v2", launch}, {551, "cudaLaunchHostFunc_v2_ptsz", launch},
    {554, "cudaMemcpyWithAttributesAsync", copy}, {555, "cudaMemcpyWithAttributesAsync_ptsz", copy},
    {556, "cudaMemcpy3DWithAttributesAsync", copy},
    {557, "cudaMemcpy3DWithAttributesAsync_ptsz", copy},
};
constexpr ApiCall kDriverCalls[] = {
    {17, "cuCtxSynchronize", sync}, {18, "cuModuleLoad", setup}, {19, "cuModuleLoadData", setup},
    {20, "cuModuleLoadDataEx", setup}, {21, "cuModuleLoadFatBinary", setup},
    {29, "cuMemAlloc", allocation}, {31, "cuMemAllocPitch", allocation},
    {33, "cuMemFree", allocation}, {37, "cuMemAllocHost", allocation},
    {38, "cuMemFreeHost", allocation}, {39, "cuMemHostAlloc", allocation},
    {43, "cuMemcpyHtoD", copy}, {45, "cuMemcpyDtoH", copy}, {47, "cuMemcpyDtoD", copy},
    {49, "cuMemcpyDtoA", copy}, {51, "cuMemcpyAtoD", copy}, {53, "cuMemcpyHtoA", copy},
    {54, "cuMemcpyAtoH", copy}, {55, "cuMemcpyAtoA", copy}, {56, "cuMemcpy2D", copy},
    {57, "cuMemcpy2DUnaligned", copy}, {58, "cuMemcpy3D", copy}, {60, "cuMemcpyHtoDAsync", copy},
    {62, "cuMemcpyDtoHAsync", copy}, {64, "cuMemcpyDtoDAsync", copy},
    {66, "cuMemcpyHtoAAsync", copy}, {67, "cuMemcpyAtoHAsync", copy}, {68, "cuMemcpy2DAsync", copy},
    {69, "cuMemcpy3DAsync", copy}, {71, "cuMemsetD8", fill}, {73, "cuMemsetD16", fill},
    {75, "cuMemsetD32", fill}, {77, "cuMemsetD2D8", fill}, {79, "cuMemsetD2D16", fill},
    {81, "cuMemsetD2D32", fill}, {115, "cuLaunch", launch}, {116, "cuLaunchGrid", launch},
    {117, "cuLaunchGridAsync", launch}, {119, "cuEventRecord", sync}, {120, "cuEventQuery", query},
    {121, "cuEventSynchronize", sync}, {125, "cuStreamQuery", query},
    {126, "cuStreamSynchronize", sync}, {216, "cuMemsetD8Async", fill},
    {218, "cuMemsetD16Async", fill}, {220, "cuMemsetD32Async", fill},
    {222, "cuMemsetD2D8Async", fill}, {224, "cuMemsetD2D16Async", fill},
    {226, "cuMemsetD2D32Async", fill}, {243, "cuMemAlloc_v2", allocation},
    {244, "cuMemAllocPitch_v2", allocation}, {245, "cuMemFree_v2", allocation},
    {248, "cuMemcpy_v2", copy}, {249, "cuMemsetD8_v2", fill}, {250, "cuMemsetD16_v2", fill},
    {251, "cuMemsetD32_v2", fill}, {252, "cuMemsetD2D8_v2", fill}, {253, "cuMemsetD2D16_v2", fill},
    {254, "cuMemsetD2D32_v2", fill}, {271, "cuMemHostAlloc_v2", allocation},
    {276, "cuMemcpyHtoD_v2", copy}, {277, "cuMemcpyHtoDAsync_v2", copy},
    {278, "cuMemcpyDtoH_v2", copy}, {279, "cuMemcpyDtoHAsync_v2", copy},
    {280, "cuMemcpyDtoD_v2", copy}, {281, "cuMemcpyDtoDAsync_v2", copy},
    {282, "cuMemcpyAtoH_v2", copy}, {283, "cuMemcpyAtoHAsync_v2", copy},
    {284, "cuMemcpyAtoD_v2", copy}, {285, "cuMemcpyDtoA_v2", copy}, {286, "cuMemcpyAtoA_v2", copy},
    {287, "cuMemcpy2D_v2", copy}, {288, "cuMemcpy2DUnaligned_v2", copy},
    {289, "cuMemcpy2DAsync_v2", copy}, {290, "cuMemcpy3D_v2", copy},
    {291, "cuMemcpy3DAsync_v2", copy}, {292, "cuMemcpyHtoA_v2", copy},
    {293, "cuMemcpyHtoAAsync_v2", copy}, {294, "cuMemAllocHost_v2", allocation},
    {295, "cuStreamWaitEvent", sync}, {301, "cuMemHostRegister", allocation},
    {302, "cuMemHostUnregister", allocation}, {305, "cuMemcpy", copy}, {306, "cuMemcpyAsync", copy},
    {307, "cuLaunchKernel", launch}, {318, "cuMemcpyPeer", copy}, {319, "cuMemcpyPeerAsync", copy},
    {320, "cuMemcpy3DPeer", copy}, {321, "cuMemcpy3DPeerAsync", copy},
    {371, "cuMemAllocManaged", allocation}, {379, "cuMemHostRegister_v2", allocation},
    {397, "cuMemcpyHtoD_v2_ptds", copy}, {398, "cuMemcpyDtoH_v2_ptds", copy},
    {399, "cuMemcpyDtoD_v2_ptds", copy}, {400, "cuMemcpyDtoA_v2_ptds", copy},
    {401, "cuMemcpyAtoD_v2_ptds", copy}, {402, "cuMemcpyHtoA_v2_ptds", copy},
    {403, "cuMemcpyAtoH_v2_ptds", copy}, {404, "cuMemcpyAtoA_v2_ptds", copy},
    {405, "cuMemcpy2D_v2_ptds", copy}, {406, "cuMemcpy2DUnaligned_v2_ptds", copy},
    {407, "cuMemcpy3D_v2_ptds", copy}, {408, "cuMemcpy_ptds", copy},
    {409, "cuMemcpyPeer_ptds", copy}, {410, "cuMemcpy3DPeer_ptds", copy},
    {411, "cuMemsetD8_v2_ptds", fill}, {412, "cuMemsetD16_v2_ptds", fill},
    {413, "cuMemsetD32_v2_ptds", fill}, {414, "cuMemsetD2D8_v2_ptds", fill},
    {415, "cuMemsetD2D16_v2_ptds", fill}, {416, "cuMemsetD2D32_v2_ptds", fill},
    {418, "cuMemcpyAsync_ptsz", copy}, {419, "cuMemcpyHtoAAsync_v2_ptsz", copy},
    {420, "cuMemcpyAtoHAsync_v2_ptsz", copy}, {421, "cuMemcpyHtoDAsync_v2_ptsz", copy},
    {422, "cuMemcpyDtoHAsync_v2_ptsz", copy}, {423, "cuMemcpyDtoDAsync_v2_ptsz", copy},
    {424, "cuMemcpy2DAsync_v2_ptsz", copy}, {425, "cuMemcpy3DAsync_v2_ptsz", copy},
    {426, "cuMemcpyPeerAsync_ptsz", copy}, {427, "cuMemcpy3DPeerAsync_ptsz", copy},
    {428, "cuMemsetD8Async_ptsz", fill}, {429, "cuMemsetD16Async_ptsz", fill},
    {430, "cuMemsetD32Async_ptsz", fill}, {431, "cuMemsetD2D8Async_ptsz", fill},
    {432, "cuMemsetD2D16Async_ptsz", fill}, {433, "cuMemsetD2D32Async_ptsz", fill},
    {436, "cuStreamWaitEvent_ptsz", sync}, {439, "cuStreamQuery_ptsz", query},
    {440, "cuStreamSynchronize_ptsz", sync}, {441, "cuEventRecord_ptsz", sync},
    {442, "cuLaunchKernel_ptsz", launch}, {467, "cuMemPrefetchAsync", copy},
    {468, "cuMemPrefetchAsync_ptsz", copy}, {477, "cuLaunchCooperativeKernel", launch},
    {478, "cuLaunchCooperativeKernel_ptsz", launch},
    {480, "cuLaunchCooperativeKernelMultiDevice", launch}, {513, "cuGraphInstantiate", setup},
    {514, "cuGraphLaunch", launch}, {515, "cuGraphLaunch_ptsz", launch},
    {527, "cuLaunchHostFunc", launch}, {528, "cuLaunchHostFunc_ptsz", launch},
    {549, "cuMemCreate", allocation}, {550, "cuMemRelease", allocation},
    {551, "cuMemMap", allocation}, {552, "cuMemUnmap", allocation},
    {553, "cuMemSetAccess", allocation}, {561, "cuGraphExecUpdate", setup},
    {578, "cuGraphInstantiate_v2", setup}, {580, "cuGraphUpload", setup},
    {581, "cuGraphUpload_ptsz", setup}, {587, "cuEventRecordWithFlags", sync},
    {588, "cuEventRecordWithFlags_ptsz", sync}, {598, "cuMemAllocAsync", allocation},
    {599, "cuMemAllocAsync_ptsz", allocation}, {600, "cuMemFreeAsync", allocation},
    {601, "cuMemFreeAsync_ptsz", allocation}, {611, "cuMemAllocFromPoolAsync", allocation},
    {612, "cuMemAllocFromPoolAsync_ptsz", allocation}, {643, "cuGraphInstantiateWithFlags", setup},
    {652, "cuLaunchKernelEx", launch}, {653, "cuLaunchKernelEx_ptsz", launch},
    {656, "cuGraphInstantiateWithParams", setup}, {657, "cuGraphInstantiateWithParams_ptsz", setup},
    {678, "cuLibraryLoadData", setup}, {679, "cuLibraryLoadFromFile", setup},
    {696, "cuGraphExecUpdate_v2", setup}, {716, "cuMemPrefetchAsync_v2", copy}, {717, "cuMemPrefetchAsync_v2_ptsz", copy},
    {776, "cuMemcpyBatchAsync", copy}, {777, "cuMemcpyBatchAsync_ptsz", copy},
    {778, "cuMemcpy3DBatchAsync", copy}, {779, "cuMemcpy3DBatchAsync_ptsz", copy},
    {784, "cuMemPrefetchBatchAsync", copy}, {785, "cuMemPrefetchBatchAsync_ptsz", copy},
    {796, "cuMemcpyBatchAsync_v2", copy}, {797, "cuMemcpyBatchAsync_v2_ptsz", copy},
    {798, "cuMemcpy3DBatchAsync_v2", copy}, {799, "cuMemcpy3DBatchAsync_v2_ptsz", copy},
    {800, "cuCtxSynchronize_v2", sync}, {831, "cuLaunchHostFunc_v2", launch},
    {832, "cuLaunchHostFunc_v2_ptsz", launch}, {837, "cuMemcpyWithAttributesAsync", copy},
    {838, "cuMemcpyWithAttributesAsync_ptsz", copy}, {839, "cuMemcpy3DWithAttributesAsync", copy},
    {840, "cuMemcpy3DWithAttributesAsync_ptsz", copy},
};
// clang-format on

constexpr uint32_t kCbidLimit = 1024;

template <size_t N>
std::bitset<kCbidLimit> selected_of(const ApiCall (&calls)[N]) {
  std::bitset<kCbidLimit> selected;
  for (const ApiCall& call : calls) selected[call.cbid] = call.role != query;
  return selected;
}
const std::bitset<kCbidLimit> kSelectedRuntime = selected_of(kRuntimeCalls);
const std::bitset<kCbidLimit> kSelectedDriver = selected_of(kDriverCalls);

}  // namespace

bool is_selected(bool runtime, uint32_t cbid) {
  return cbid < kCbidLimit && (runtime ? kSelectedRuntime : kSelectedDriver)[cbid];
}

std::span<const ApiCall> runtime_calls() { return kRuntimeCalls; }
std::span<const ApiCall> driver_calls() { return kDriverCalls; }

const ApiCall* find_api_call(bool runtime, uint32_t cbid) {
  const std::span<const ApiCall> calls = runtime ? runtime_calls() : driver_calls();
  const auto found =
      std::lower_bound(calls.begin(), calls.end(), cbid,
                       [](const ApiCall& call, uint32_t id) { return call.cbid < id; });
  return found != calls.end() && found->cbid == cbid ? &*found : nullptr;
}

}  // namespace deepprof
