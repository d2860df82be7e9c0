// A modelled host and GPU: calls take host time, ops wait for their stream, and all of it goes into
// a recording. Nothing here was measured on a GPU.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/export/recording_format.h"

namespace deepprof::fake {

enum class CopyDirection : uint8_t { host_to_device = 1, device_to_host = 2, device_to_device = 8 };
enum class HostMemory : uint8_t { pageable = 1, pinned = 2 };

class Timeline {
 public:
  Timeline(uint64_t seed, double jitter);

  uint32_t add_thread(uint64_t tid, std::string_view name);
  uint32_t add_stream();

  // The calls that follow come from this thread; it begins when the one before is done.
  void on_thread(uint32_t thread) { thread_ = thread; }
  void host_works(double us) { now_ns_ += jittered(us); }  // outside CUDA
  // A call that puts nothing on the GPU.
  void call(std::string_view api, double us);

  // Memory of the device, or of the host: cudaMalloc and cudaFree, cudaMallocHost and cudaFreeHost.
  // allocate() returns the address.
  uint64_t allocate(bool on_host, uint64_t bytes, double us);
  void release(uint64_t address, double us);

  void kernel(std::string_view name, uint32_t stream, double us, int32_t grid, int32_t block,
              uint32_t registers);
  void fill(uint32_t stream, uint64_t bytes);
  void copy(CopyDirection direction, HostMemory memory, uint32_t stream, uint64_t bytes);
  void wait_for_stream(uint32_t stream);  // cudaStreamSynchronize
  // cudaEventRecord + cudaStreamWaitEvent
  void let_stream_wait(uint32_t stream, uint32_t for_stream);

  int64_t now_ns() const { return now_ns_; }
  recording::Recording& recording() { return recording_; }

 private:
  int64_t jittered(double us);
  uint32_t name(std::string_view text);
  uint32_t record_call(std::string_view api, double us);
  void place(recording::Op op, std::string_view api, double launch_us, double us);

  recording::Recording recording_;
  std::unordered_map<std::string, uint32_t> names_;
  std::map<uint64_t, recording::Allocation> allocated_;  // by address
  uint64_t next_address_ = uint64_t{0x7f00} << 32;
  std::map<uint32_t, int64_t> stream_free_ns_;
  std::mt19937_64 random_;
  double jitter_;
  int64_t now_ns_;
  uint32_t thread_ = 0, correlation_ = 0, next_stream_ = 7;
};

}  // namespace deepprof::fake
