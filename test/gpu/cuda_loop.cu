// A job of the CUDA runtime that knows nothing of DeepProf: a training loop's shape on two streams.
// Each iteration copies a batch in on one stream, runs layers on another once the copy is done,
// updates, and reads the loss back. Run by scripts/gpu_check.sh, built with nvcc.
//
//   cuda_loop ITERATIONS [GRAPH_KERNELS]: with GRAPH_KERNELS a graph of a thousand kernels is
//   launched until so many have run, in the place of the loop.
//
// Prints one line of JSON: iterations, median step time, and how often each kernel was launched,
// which is what the recording must hold. Exit code 3 where there is no GPU.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr int kElements = 1 << 20, kLayers = 12, kThreads = 256;
constexpr int kBlocks = (kElements + kThreads - 1) / kThreads;

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "cuda_loop: %s: %s\n", what, cudaGetErrorString(error));
  exit(error == cudaErrorNoDevice || error == cudaErrorInsufficientDriver ? 3 : 1);
}

}  // namespace

// C linkage: their names in a recording are those that main() prints.
extern "C" __global__ void layer_forward(float* data, float weight, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = data[i] * weight + 0.5f;
}

extern "C" __global__ void layer_backward(float* data, float weight, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) data[i] = (data[i] - 0.5f) / weight;
}

extern "C" __global__ void sgd_update(float* weights, const float* data, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) weights[i] -= 1e-3f * data[i];
}

// Some three microseconds: no faster than records are taken.
extern "C" __global__ void graph_node(unsigned* sum) {
  const long long start = clock64();
  while (clock64() - start < 2500) {}
  if (threadIdx.x == 0) *sum += 1;
}

namespace {

int replay_graph(long long kernels) {
  constexpr int kNodes = 1000, kBetweenWaits = 64;
  unsigned* sum = nullptr;
  check(cudaMalloc(&sum, sizeof *sum), "cudaMalloc");
  cudaStream_t stream;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin capture");
  for (int i = 0; i < kNodes; ++i) graph_node<<<1, 32, 0, stream>>>(sum);
  check(cudaStreamEndCapture(stream, &graph), "end capture");
  check(cudaGraphInstantiateWithFlags(&executable, graph, 0), "instantiate");
  const long long launches = kernels / kNodes;
  for (long long i = 0; i < launches; ++i) {
    check(cudaGraphLaunch(executable, stream), "graph launch");
    if (i % kBetweenWaits == 0) check(cudaStreamSynchronize(stream), "synchronize");
  }
  check(cudaStreamSynchronize(stream), "synchronize");
  printf("{\"iterations\": %lld, \"kernels\": {\"graph_node\": %lld}}\n", launches, launches * kNodes);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int iterations = argc > 1 ? atoi(argv[1]) : 100;
  check(cudaSetDevice(0), "cudaSetDevice");
  if (argc > 2) return replay_graph(atoll(argv[2]));
  float *host = nullptr, *batch = nullptr, *weights = nullptr, loss = 0;
  check(cudaMallocHost(&host, kElements * sizeof(float)), "cudaMallocHost");
  std::fill(host, host + kElements, 1.0f);
  check(cudaMalloc(&batch, kElements * sizeof(float)), "cudaMalloc");
  check(cudaMalloc(&weights, kElements * sizeof(float)), "cudaMalloc");
  check(cudaMemset(weights, 0, kElements * sizeof(float)), "cudaMemset");
  cudaStream_t copies, compute;
  cudaEvent_t copied;
  check(cudaStreamCreateWithFlags(&copies, cudaStreamNonBlocking), "cudaStreamCreate");
  check(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking), "cudaStreamCreate");
  check(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming), "cudaEventCreate");

  std::vector<long long> steps_ns;
  for (int i = 0; i < iterations; ++i) {
    const auto start = std::chrono::steady_clock::now();
    check(cudaMemcpyAsync(batch, host, kElements * sizeof(float), cudaMemcpyHostToDevice, copies), "copy in");
    check(cudaEventRecord(copied, copies), "record");
    check(cudaStreamWaitEvent(compute, copied, 0), "wait");
    for (int l = 0; l < kLayers; ++l) layer_forward<<<kBlocks, kThreads, 0, compute>>>(batch, 1.01f, kElements);
    for (int l = 0; l < kLayers; ++l) layer_backward<<<kBlocks, kThreads, 0, compute>>>(batch, 1.01f, kElements);
    sgd_update<<<kBlocks, kThreads, 0, compute>>>(weights, batch, kElements);
    check(cudaMemcpyAsync(&loss, batch, sizeof(float), cudaMemcpyDeviceToHost, compute), "copy out");
    check(cudaStreamSynchronize(compute), "synchronize");
    steps_ns.push_back((std::chrono::steady_clock::now() - start).count());
  }
  std::sort(steps_ns.begin(), steps_ns.end());
  printf("{\"iterations\": %d, \"median_step_ns\": %lld, \"kernels\": {\"layer_forward\": %d, "
         "\"layer_backward\": %d, \"sgd_update\": %d}}\n",
         iterations, steps_ns.empty() ? 0 : steps_ns[steps_ns.size() / 2], iterations * kLayers, iterations * kLayers,
         iterations);
  return 0;
}
