#include "test/fake/workload/timeline.h"

#include <algorithm>

namespace deepprof::fake {
namespace {

constexpr int64_t kBegin_ns = 1'700'000'000'000'000'000;  // November 2023
constexpr double kLaunch_us = 4.2, kMemcpyCall_us = 6.5, kSmallCall_us = 0.9;
constexpr double kStartDelay_us = 1.4;  // from the end of the launch to the op on an idle stream
constexpr double kPinnedGBs = 25, kPageableGBs = 6, kDeviceGBs = 1300;

double gigabytes_per_s(CopyDirection direction, HostMemory memory) {
  if (direction == CopyDirection::device_to_device) return kDeviceGBs;
  return memory == HostMemory::pinned ? kPinnedGBs : kPageableGBs;
}

}  // namespace

Timeline::Timeline(uint64_t seed, double jitter)
    : random_(seed), jitter_(jitter), now_ns_(kBegin_ns) {
  recording_.devices.push_back({uint64_t{80} << 30, 0, name("Modelled GPU"), 108, 8, 0, 2048});
}

uint32_t Timeline::name(std::string_view text) {
  const auto [found, is_new] =
      names_.try_emplace(std::string(text), static_cast<uint32_t>(recording_.names.size()));
  if (is_new) recording_.names.emplace_back(text);
  return found->second;
}

uint32_t Timeline::add_thread(uint64_t tid, std::string_view thread_name) {
  recording_.threads.push_back({tid, 4242, name(thread_name)});
  return static_cast<uint32_t>(recording_.threads.size() - 1);
}

uint32_t Timeline::add_stream() {
  const uint32_t stream = next_stream_;
  next_stream_ += 13;
  stream_free_ns_[stream] = 0;
  return stream;
}

// A uniform spread, skewed to the slow side as real times are.
int64_t Timeline::jittered(double us) {
  const double unit = static_cast<double>(random_() >> 11) * 0x1p-53;
  const double factor = 1 + jitter_ * (unit < 0.95 ? unit - 0.4 : 4 * unit);
  return std::max<int64_t>(static_cast<int64_t>(us * 1000 * factor), 32);
}

uint32_t Timeline::record_call(std::string_view api, double us) {
  const int64_t start = now_ns_;
  now_ns_ += jittered(us);
  recording_.calls.push_back({start, now_ns_, ++correlation_, name(api), thread_, 0});
  return correlation_;
}

void Timeline::call(std::string_view api, double us) { record_call(api, us); }

uint64_t Timeline::allocate(bool on_host, uint64_t bytes, double us) {
  constexpr uint8_t kAllocation = 1;
  recording::Allocation a{};
  a.correlation = record_call(on_host ? "cudaMallocHost" : "cudaMalloc", us);
  a.time_ns = now_ns_ - 200;
  a.address = next_address_;
  a.bytes = bytes;
  a.context = 1;
  a.stream = UINT32_MAX;
  a.operation = kAllocation;
  a.memory_kind = on_host ? 2 : 3;
  next_address_ += (bytes + 0xfffff) & ~uint64_t{0xfffff};
  recording_.allocations.push_back(allocated_[a.address] = a);
  return a.address;
}

// As CUPTI records it: with the bytes that were allocated.
void Timeline::release(uint64_t address, double us) {
  constexpr uint8_t kRelease = 2, kPinned = 2;
  recording::Allocation a = allocated_.at(address);
  allocated_.erase(address);
  a.correlation = record_call(a.memory_kind == kPinned ? "cudaFreeHost" : "cudaFree", us);
  a.time_ns = now_ns_ - 200;
  a.operation = kRelease;
  recording_.allocations.push_back(a);
}

// GPU clocks tick in 32 ns.
void Timeline::place(recording::Op op, std::string_view api, double launch_us, double us) {
  op.correlation = record_call(api, launch_us);
  int64_t& free = stream_free_ns_[op.stream];
  op.start_ns = (std::max(free, now_ns_ + jittered(kStartDelay_us)) + 31) / 32 * 32;
  op.end_ns = op.start_ns + (jittered(us) + 31) / 32 * 32;
  free = op.end_ns + 960;
  op.context = 1;
  recording_.ops.push_back(op);
}

void Timeline::kernel(std::string_view kernel_name, uint32_t stream, double us, int32_t grid,
                      int32_t block, uint32_t registers) {
  recording::Op op{};
  op.kind = 1;
  op.name = name(kernel_name);
  op.stream = stream;
  op.grid[0] = grid;
  op.block[0] = block;
  op.grid[1] = op.grid[2] = op.block[1] = op.block[2] = 1;
  op.registers = registers;
  place(op, "cudaLaunchKernel", kLaunch_us, us);
}

void Timeline::fill(uint32_t stream, uint64_t bytes) {
  recording::Op op{};
  op.kind = 3;
  op.stream = stream;
  op.bytes = bytes;
  op.destination = 3;  // device memory
  place(op, "cudaMemsetAsync", kLaunch_us, 1.1 + static_cast<double>(bytes) / (kDeviceGBs * 1e3));
}

void Timeline::copy(CopyDirection direction, HostMemory memory, uint32_t stream, uint64_t bytes) {
  constexpr uint8_t kDevice = 3;
  recording::Op op{};
  op.kind = 2;
  op.stream = stream;
  op.bytes = bytes;
  op.copy_kind = static_cast<uint8_t>(direction);
  op.source = direction == CopyDirection::host_to_device ? static_cast<uint8_t>(memory) : kDevice;
  op.destination =
      direction == CopyDirection::device_to_host ? static_cast<uint8_t>(memory) : kDevice;
  const double us = 1.5 + static_cast<double>(bytes) / (gigabytes_per_s(direction, memory) * 1e3);
  // A copy from or to pageable memory returns when it is done.
  place(op, "cudaMemcpyAsync", kMemcpyCall_us, us);
  if (memory == HostMemory::pageable && direction != CopyDirection::device_to_device) {
    recording_.calls.back().end_ns = now_ns_ = recording_.ops.back().end_ns + 3000;
  }
}

void Timeline::wait_for_stream(uint32_t stream) {
  const uint32_t id = record_call("cudaStreamSynchronize", kSmallCall_us);
  recording::Call& recorded = recording_.calls.back();
  now_ns_ = std::max(now_ns_, stream_free_ns_[stream] + 4000);
  recorded.end_ns = now_ns_;
  recording_.syncs.push_back(
      {recorded.start_ns + 300, now_ns_ - 200, id, 3, 1, stream, 0, thread_});
}

void Timeline::let_stream_wait(uint32_t stream, uint32_t for_stream) {
  call("cudaEventRecord", kSmallCall_us);
  call("cudaStreamWaitEvent", kSmallCall_us);
  stream_free_ns_[stream] = std::max(stream_free_ns_[stream], stream_free_ns_[for_stream]);
}

}  // namespace deepprof::fake
