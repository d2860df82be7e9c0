// The recording format: what a CUDA job did, in the words of CUPTI's records, for replay under the
// stand-ins in test/fake. Written by `deepprof export --to recording` and by test/fake/workload;
// read by fake_host.
//
// A recording is a header, the name bytes, and plain arrays of the structs below in the order of
// the header's counts, little-endian, without padding between them:
//
//   | FileHeader | names: length 4, bytes ... | Thread[] | Device[] | Call[] | Op[] | Sync[] |
//   Overhead[] | Allocation[] |
//
// Name, thread and device references are indices into those lists. Times are integer nanoseconds in
// one clock. Header only and free of the trace model, so that a stand-in needs nothing else of the
// project.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace deepprof::recording {

// the last byte is the version
inline constexpr char kMagic[8] = {'D', 'P', 'R', 'E', 'C', 0, 0, 2};
inline constexpr uint32_t kNone = UINT32_MAX;

struct FileHeader {
  char magic[8];
  // how many of each
  uint64_t names, threads, devices, calls, ops, syncs, overheads, allocations;
};
static_assert(sizeof(FileHeader) == 72);

struct Thread {
  uint64_t tid;
  uint32_t pid;
  uint32_t name;
};
static_assert(sizeof(Thread) == 16);

struct Device {
  uint64_t memory_bytes;
  uint32_t id, name, sm_count, compute_major, compute_minor, max_threads_per_sm;
};
static_assert(sizeof(Device) == 32);

// A call into the CUDA runtime or driver; which of them, and its call id, follow from the name.
struct Call {
  int64_t start_ns, end_ns;
  uint32_t correlation, name, thread;
  uint32_t reserved;
};
static_assert(sizeof(Call) == 32);

// A GPU op. `kind` is the number of deepprof::Kind (kernel 1, memcpy 2, memset 3, graph 4).
struct Op {
  int64_t start_ns, end_ns;
  uint64_t bytes;
  uint64_t graph_node;
  uint32_t correlation, name, device, context, stream, graph;
  int32_t grid[3], block[3];
  uint32_t registers, static_shared_bytes, dynamic_shared_bytes;
  uint8_t kind, copy_kind, source, destination;
};
static_assert(sizeof(Op) == 96);

// A recorded wait. `type` as CUPTI counts it: 1 event, 2 stream waits for event, 3 stream, 4
// context.
struct Sync {
  int64_t start_ns, end_ns;
  uint32_t correlation, type, context, stream, event, thread;
};
static_assert(sizeof(Sync) == 40);

// Time the profiler took. `kind` as CUPTI counts it (1 driver compiler, 1 << 16 buffer flush, ...).
struct Overhead {
  int64_t start_ns, end_ns;
  uint32_t kind, thread;
};
static_assert(sizeof(Overhead) == 24);

// A step of what is allocated: operation, kind of memory and pool as CUPTI counts them.
struct Allocation {
  int64_t time_ns;
  uint64_t address, bytes;
  uint64_t pool_address, pool_bytes;  // 0: no pool; what it holds after the step
  uint32_t correlation, device, context, stream;
  uint8_t operation, memory_kind, is_async, padding[5];
};
static_assert(sizeof(Allocation) == 64);

struct Recording {
  std::vector<std::string> names{""};  // index 0 is the empty name
  std::vector<Thread> threads;
  std::vector<Device> devices;
  std::vector<Call> calls;  // ordered by start
  std::vector<Op> ops;      // any order; joined with calls by correlation
  std::vector<Sync> syncs;
  std::vector<Overhead> overheads;
  std::vector<Allocation> allocations;  // ordered by time; joined with calls by correlation
};

namespace detail {

struct Close {
  void operator()(FILE* file) const { fclose(file); }
};
using File = std::unique_ptr<FILE, Close>;

// Grows with what the file really holds, so that a wrong count cannot ask for absurd memory.
template <typename T>
bool get(FILE* file, uint64_t count, std::vector<T>& items) {
  constexpr uint64_t kStep = 1 << 16;
  while (items.size() < count) {
    const size_t from = items.size();
    const size_t more = static_cast<size_t>(std::min<uint64_t>(kStep, count - from));
    items.resize(from + more);
    if (fread(items.data() + from, sizeof(T), more, file) != more) return false;
  }
  return true;
}

inline bool get_name(FILE* file, std::string& name) {
  uint32_t length = 0;
  std::vector<char> bytes;
  if (fread(&length, sizeof length, 1, file) != 1 || !get(file, length, bytes)) return false;
  name.assign(bytes.begin(), bytes.end());
  return true;
}

// Every reference must point at something: the stand-ins index without looking.
inline bool references_hold(const Recording& r) {
  const auto name_ok = [&](uint32_t name) { return name < r.names.size(); };
  const auto thread_ok = [&](uint32_t thread) { return thread < r.threads.size(); };
  for (const Thread& thread : r.threads)
    if (!name_ok(thread.name)) return false;
  for (const Device& device : r.devices)
    if (!name_ok(device.name)) return false;
  for (const Call& call : r.calls)
    if (!name_ok(call.name) || !thread_ok(call.thread)) return false;
  for (const Op& op : r.ops)
    if (!name_ok(op.name)) return false;
  for (const Sync& sync : r.syncs)
    if (!thread_ok(sync.thread)) return false;
  for (const Overhead& overhead : r.overheads)
    if (!thread_ok(overhead.thread)) return false;
  return true;
}

}  // namespace detail

// Hands the bytes of the file to put(const void*, size_t), in order.
template <typename Put>
void encode(const Recording& r, Put put) {
  FileHeader header{};
  std::copy(std::begin(kMagic), std::end(kMagic), header.magic);
  header.names = r.names.size();
  header.threads = r.threads.size();
  header.devices = r.devices.size();
  header.calls = r.calls.size();
  header.ops = r.ops.size();
  header.syncs = r.syncs.size();
  header.overheads = r.overheads.size();
  header.allocations = r.allocations.size();
  put(&header, sizeof header);
  for (const std::string& name : r.names) {
    const auto length = static_cast<uint32_t>(name.size());
    put(&length, sizeof length);
    put(name.data(), name.size());
  }
  const auto put_all = [&](const auto& items) {
    put(items.data(), items.size() * sizeof items[0]);
  };
  put_all(r.threads);
  put_all(r.devices);
  put_all(r.calls);
  put_all(r.ops);
  put_all(r.syncs);
  put_all(r.overheads);
  put_all(r.allocations);
}

// Empty on success, else what failed.
inline std::string write(const std::string& path, const Recording& r) {
  const detail::File file(fopen(path.c_str(), "wb"));
  if (!file) return path + ": cannot be created";
  bool ok = true;
  encode(r, [&](const void* data, size_t size) {
    ok = ok && (size == 0 || fwrite(data, size, 1, file.get()) == 1);
  });
  ok = fflush(file.get()) == 0 && ok;
  return ok ? "" : path + ": could not be written whole";
}

inline std::string read(const std::string& path, Recording& r) {
  const detail::File file(fopen(path.c_str(), "rb"));
  if (!file) return path + ": cannot be opened";
  FileHeader header{};
  if (fread(&header, sizeof header, 1, file.get()) != 1 ||
      !std::equal(std::begin(kMagic), std::end(kMagic), header.magic)) {
    return path + ": not a recording of version 2";
  }
  r = Recording();
  r.names.clear();
  bool ok = true;
  for (uint64_t i = 0; ok && i < header.names; ++i) {
    ok = detail::get_name(file.get(), r.names.emplace_back());
  }
  ok = ok && detail::get(file.get(), header.threads, r.threads) &&
       detail::get(file.get(), header.devices, r.devices) &&
       detail::get(file.get(), header.calls, r.calls) &&
       detail::get(file.get(), header.ops, r.ops) &&
       detail::get(file.get(), header.syncs, r.syncs) &&
       detail::get(file.get(), header.overheads, r.overheads) &&
       detail::get(file.get(), header.allocations, r.allocations);
  if (!ok) return path + ": ends before what its header promises";
  if (!detail::references_hold(r))
    return path + ": refers to a name or thread that it does not hold";
  return "";
}

}  // namespace deepprof::recording
