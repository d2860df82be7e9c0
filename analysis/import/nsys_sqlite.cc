// Nsight Systems' SQLite export (`nsys export --type sqlite`).
#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "analysis/import/allocation_steps.h"
#include "analysis/import/clamped.h"
#include "analysis/import/distinct_details.h"
#include "analysis/import/memory_names.h"
#include "analysis/import/sqlite_activity.h"
#include "analysis/import/sqlite_readers.h"
#include "analysis/import/thread_table.h"
#include "libdeepprof/event/allocation_events.h"

namespace deepprof {
namespace {

constexpr const char* kKernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr const char* kCopies = "CUPTI_ACTIVITY_KIND_MEMCPY";
constexpr const char* kFills = "CUPTI_ACTIVITY_KIND_MEMSET";
constexpr const char* kGraphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
constexpr const char* kCalls = "CUPTI_ACTIVITY_KIND_RUNTIME";
constexpr const char* kWaits = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION";

// A global id packs virtual machine, process and thread: 16, 24 and 24 bits.
constexpr int64_t kIdMask = 0xFFFFFF;
int64_t pid_of(int64_t global_id) { return global_id >> 24 & kIdMask; }
int64_t tid_of(int64_t global_id) { return global_id & kIdMask; }

// ENUM_CUDA_MEMCPY_OPER: ours up to peer copies, then pages of managed memory that move by
// themselves.
bool is_migration(int64_t number) { return number >= 11 && number <= 13; }
CopyKind copy_kind_of(int64_t number) {
  constexpr CopyKind kMigrations[] = {CopyKind::host_to_device, CopyKind::device_to_host,
                                      CopyKind::device_to_device};
  return is_migration(number) ? kMigrations[number - 11] : cupti_copy_kind(number);
}

// ENUM_CUDA_MEM_KIND counts from pageable = 0 and ends with "unknown".
MemoryKind memory_kind_of(std::optional<int64_t> number) {
  constexpr int64_t kLast = static_cast<int64_t>(MemoryKind::managed_static) - 1;
  return number && *number >= 0 && *number <= kLast ? static_cast<MemoryKind>(*number + 1)
                                                    : MemoryKind::unknown;
}

// cudaLaunchKernel_v7000 is what everybody else calls cudaLaunchKernel.
std::string_view without_version(std::string_view name) {
  const size_t at = name.rfind("_v");
  if (at == std::string_view::npos || at + 2 == name.size()) return name;
  const bool digits = name.find_first_not_of("0123456789", at + 2) == std::string_view::npos;
  return digits && name.size() - at > 4 ? name.substr(0, at) : name;
}

// ENUM_CUDA_MEM_KIND, as kinds of allocation.
AllocationKind allocation_kind_of(std::optional<int64_t> number) {
  switch (memory_kind_of(number)) {
    case MemoryKind::pinned: return AllocationKind::pinned;
    case MemoryKind::device:
    case MemoryKind::array:
    case MemoryKind::device_static: return AllocationKind::device;
    case MemoryKind::managed:
    case MemoryKind::managed_static: return AllocationKind::managed;
    default: return AllocationKind::unknown;
  }
}

class NsysReader {
 public:
  explicit NsysReader(const SqliteFile& file) : file_(file), details_(trace_), threads_(trace_) {}

  absl::StatusOr<Trace> read(const LoadOptions& options) {
    using Step = absl::Status (NsysReader::*)();
    constexpr Step kSteps[] = {
        &NsysReader::read_strings,  &NsysReader::read_devices, &NsysReader::read_kernels,
        &NsysReader::read_copies,   &NsysReader::read_fills,   &NsysReader::read_graphs,
        &NsysReader::read_calls,    &NsysReader::read_waits,   &NsysReader::read_ranges,
        &NsysReader::read_overhead, &NsysReader::read_names,   &NsysReader::read_facts,
        &NsysReader::read_memory,   &NsysReader::read_pools};
    if (absl::Status status = run_steps(*this, kSteps, options); !status.ok()) return status;
    memory_.finish(AllocationKind::pool_reserved, AllocationSteps::From::process_start, trace_);
    threads_.apply_names();
    name_waiting_threads();
    trace_.process.source = "Nsight Systems";
    if (pids_.size() == 1) trace_.process.pid = static_cast<uint32_t>(pids_.begin()->first);
    trace_.finish();
    return std::move(trace_);
  }

 private:
  absl::Status read_strings() {
    return file_.each("StringIds", {"id", "value"}, [this](const SqliteRow& row) {
      strings_[row.integer_or(0, 0)] = trace_.names.intern(row.text(1));
    });
  }
  NameId name_of(std::optional<int64_t> id) const {
    const auto found = strings_.find(id.value_or(-1));
    return found != strings_.end() ? found->second : 0;
  }

  // The GPUs as CUDA numbers them. TARGET_INFO_GPU lists display adapters, too, which have no SM
  // and stand under the number of a GPU; until 2021 TARGET_INFO_CUDA_GPU had what CUDA tells.
  absl::Status read_devices() {
    const absl::Status status = file_.each(
        "TARGET_INFO_CUDA_GPU",
        {"deviceId", "name", "numMultiprocessors", "globalMemorySize", "computeCapabilityMajor",
         "computeCapabilityMinor", "maxWarpsPerMultiprocessor", "numThreadsPerWarp"},
        [this](const SqliteRow& row) {
          constexpr uint64_t kMost_MiB = uint64_t{1} << 24;  // until 2020 it was in MiB
          if (!add_device(row, row.integer(0), 1)) return;
          uint64_t& memory = trace_.devices.back().memory_bytes;
          if (memory < kMost_MiB) memory <<= 20;
        });
    if (!status.ok()) return status;
    return file_.each("TARGET_INFO_GPU",
                      {"cuDevice", "id", "deviceId", "name", "smCount", "totalMemory",
                       "computeMajor", "computeMinor", "maxWarpsPerSm", "threadsPerWarp"},
                      [this](const SqliteRow& row) {
                        if (row.integer(4) == 0) return;
                        auto id = row.integer(0);
                        if (!id) id = row.integer(1);
                        add_device(row, id ? id : row.integer(2), 3);
                      });
  }
  // From `name` on the columns are in one order. False: it is known.
  bool add_device(const SqliteRow& row, std::optional<int64_t> id, int name) {
    Device device;
    device.id = clamped<uint32_t>(id.value_or(0));
    for (const Device& known : trace_.devices) {
      if (known.id == device.id) return false;
    }
    device.name = row.text(name);
    device.sm_count = clamped<uint32_t>(row.integer_or(name + 1, 0));
    device.memory_bytes = clamped<uint64_t>(row.integer_or(name + 2, 0));
    device.compute_major = clamped<uint32_t>(row.integer_or(name + 3, 0));
    device.compute_minor = clamped<uint32_t>(row.integer_or(name + 4, 0));
    device.max_threads_per_sm =
        clamped<uint32_t>(int64_t{clamped<uint16_t>(row.integer_or(name + 5, 0))} *
                          clamped<uint16_t>(row.integer_or(name + 6, 0)));
    trace_.devices.push_back(std::move(device));
    return true;
  }

  // Each process counts its contexts and correlation ids from one. Those of further processes carry
  // the process's number in their top bits, so that no op joins another process's call or stream.
  uint32_t id_of(std::optional<int64_t> id, int64_t global_id) {
    constexpr int kBits = 28;
    const auto process =
        pids_.try_emplace(pid_of(global_id), static_cast<uint32_t>(pids_.size())).first->second;
    if (!id || *id == 0) return 0;
    return static_cast<uint32_t>(*id) ^ process << kBits;
  }

  // The columns that all GPU ops share, in front of each kind's own.
  static std::vector<std::string> op_columns(const std::vector<std::string>& own) {
    return joined({"start", "end", "deviceId", "contextId", "streamId", "correlationId",
                   "globalPid", "graphNodeId"},
                  own);
  }
  static constexpr int kOwn = 8;

  void add_op(const SqliteRow& row, Kind kind, NameId name, const Detail& detail) {
    const auto start = row.integer(0), end = row.integer(1), device = row.integer(2);
    if (!start || !end || !device || *device < 0 ||
        *device > std::numeric_limits<uint16_t>::max()) {
      ++trace_.losses[Loss::import_skipped];
      return;
    }
    Op op;
    op.start_ns = *start;
    op.duration_ns = time_between(*start, *end);
    op.device = static_cast<uint16_t>(*device);
    op.context = id_of(row.integer(3), row.integer_or(6, 0));
    op.stream = static_cast<uint32_t>(row.integer_or(4, 0));
    op.correlation = id_of(row.integer(5), row.integer_or(6, 0));
    op.graph_node = static_cast<uint32_t>(row.integer_or(7, 0));
    op.kind = kind;
    op.name = name;
    op.detail = details_.intern(detail);
    trace_.ops.push_back(op);
  }

  absl::Status read_kernels() {
    return file_.each(kKernels, op_columns(joined({"demangledName", "shortName"}, kLaunchColumns)),
                      [this](const SqliteRow& row) {
                        const NameId full = name_of(row.integer(kOwn));
                        add_op(row, Kind::kernel, full != 0 ? full : name_of(row.integer(kOwn + 1)),
                               launch_detail(row, kOwn + 2));
                      });
  }
  absl::Status read_copies() {
    return file_.each(kCopies, op_columns({"bytes", "copyKind", "srcKind", "dstKind"}),
                      [this](const SqliteRow& row) {
                        Detail detail;
                        detail.bytes = clamped<uint64_t>(row.integer_or(kOwn, 0));
                        detail.copy_kind = copy_kind_of(row.integer_or(kOwn + 1, 0));
                        detail.source = memory_kind_of(row.integer(kOwn + 2));
                        detail.destination = memory_kind_of(row.integer(kOwn + 3));
                        if (is_migration(row.integer_or(kOwn + 1, 0)))
                          detail.source = detail.destination = MemoryKind::managed;
                        add_op(row, Kind::memcpy, trace_.names.intern(copy_name(detail.copy_kind)),
                               detail);
                      });
  }
  absl::Status read_fills() {
    return file_.each(kFills, op_columns({"bytes", "memKind"}), [this](const SqliteRow& row) {
      Detail detail;
      detail.bytes = clamped<uint64_t>(row.integer_or(kOwn, 0));
      detail.destination = memory_kind_of(row.integer(kOwn + 1));
      add_op(row, Kind::memset, trace_.names.intern("Memset"), detail);
    });
  }

  // `--cuda-graph-trace=graph`, nsys' default: one row a launch, and none of what ran inside. A
  // graph goes by its instance, as CUPTI's own record has it.
  absl::Status read_graphs() {
    return file_.each(
        kGraphs, op_columns({"graphExecId", "graphId"}), [this](const SqliteRow& row) {
          const int64_t graph = row.integer(kOwn).value_or(row.integer_or(kOwn + 1, 0));
          add_op(row, Kind::graph, trace_.names.intern("CUDA graph " + std::to_string(graph)),
                 Detail{});
        });
  }

  uint32_t thread_of(int64_t global_tid) {
    return threads_.index(std::to_string(pid_of(global_tid)), std::to_string(tid_of(global_tid)));
  }

  absl::Status read_calls() {
    return file_.each(
        kCalls, {"start", "end", "globalTid", "correlationId", "nameId"},
        [this](const SqliteRow& row) {
          HostCall call;
          call.start_ns = row.integer_or(0, 0);
          call.duration_ns = positive_time_between(call.start_ns, row.integer_or(1, call.start_ns));
          call.thread = thread_of(row.integer_or(2, 0));
          call.correlation = id_of(row.integer(3), row.integer_or(2, 0));
          call.name = trace_.names.intern(without_version(trace_.names[name_of(row.integer(4))]));
          trace_.calls.push_back(call);
        });
  }
  absl::Status read_waits() {
    return file_.each(
        kWaits, {"start", "end", "streamId", "correlationId", "globalPid", "syncType"},
        [this](const SqliteRow& row) {
          HostCall wait;
          wait.start_ns = row.integer_or(0, 0);
          wait.duration_ns = positive_time_between(wait.start_ns, row.integer_or(1, wait.start_ns));
          wait.stream = static_cast<uint32_t>(row.integer_or(2, kNone));
          wait.correlation = id_of(row.integer(3), row.integer_or(4, 0));
          Detail detail;
          detail.sync_type = cupti_sync_type(row.integer_or(5, 0));
          wait.detail = details_.intern(detail);
          wait.name = trace_.names.intern(sync_name(detail.sync_type));
          wait.kind = Kind::sync;
          wait.thread = kNone;  // see name_waiting_threads()
          trace_.calls.push_back(wait);
        });
  }
  void name_waiting_threads() {
    std::unordered_map<uint32_t, uint32_t> thread_of_call;
    for (const HostCall& call : trace_.calls) {
      if (call.kind == Kind::api_call && call.correlation != 0)
        thread_of_call.emplace(call.correlation, call.thread);
    }
    for (HostCall& wait : trace_.calls) {
      if (wait.thread != kNone) continue;
      const auto call = thread_of_call.find(wait.correlation);
      wait.thread =
          call != thread_of_call.end() ? call->second : threads_.index("0", "unknown thread");
    }
  }

  absl::Status read_ranges() {
    return file_.each(
        "NVTX_EVENTS", {"start", "end", "text", "textId", "globalTid"},
        [this](const SqliteRow& row) {
          const auto end = row.integer(1);
          if (!end) return;  // a mark, not a range
          const int64_t start = row.integer_or(0, 0);
          const NameId name =
              row.text(2).empty() ? name_of(row.integer(3)) : trace_.names.intern(row.text(2));
          trace_.ranges.push_back({start, positive_time_between(start, *end), name,
                                   thread_of(row.integer_or(4, 0)), RangeSource::nvtx});
        });
  }
  absl::Status read_overhead() {
    return file_.each(
        "PROFILER_OVERHEAD", {"start", "end", "nameId"}, [this](const SqliteRow& row) {
          const int64_t start = row.integer_or(0, 0);
          trace_.overheads.push_back({start, positive_time_between(start, row.integer_or(1, start)),
                                      name_of(row.integer(2))});
        });
  }
  absl::Status read_names() {
    return file_.each("ThreadNames", {"nameId", "globalTid"}, [this](const SqliteRow& row) {
      const int64_t id = row.integer_or(1, 0);
      threads_.set_name(std::to_string(pid_of(id)), std::to_string(tid_of(id)),
                        std::string(trace_.names[name_of(row.integer(0))]));
    });
  }
  // `nsys profile --cuda-memory-usage=true`. Some drivers give these events no time.
  absl::Status read_memory() {
    return file_.each("CUDA_GPU_MEMORY_USAGE_EVENTS",
                      {"start", "globalPid", "deviceId", "localMemoryPoolAddress",
                       "localMemoryPoolSize", "address", "bytes", "memKind", "memoryOperationType",
                       "correlationId", "importedMemoryPoolAddress"},
                      [this](const SqliteRow& row) { add_allocation(row); });
  }
  // Pools that are made, trimmed and destroyed. Those of other processes are their business.
  absl::Status read_pools() {
    return file_.each("CUDA_GPU_MEMORY_POOL_EVENTS",
                      {"start", "globalPid", "deviceId", "address", "localMemoryPoolSize",
                       "operationType", "poolType"},
                      [this](const SqliteRow& row) { add_pool_event(row); });
  }
  // The columns that both begin with: time, process, device, pool and its size.
  std::optional<AllocationSteps::Step> memory_step(const SqliteRow& row) {
    const auto start = row.integer(0), device = row.integer(2), pool = row.integer(3),
               pool_bytes = row.integer(4);
    if (!start || *start <= 0 || !device || *device < 0 || *device > UINT16_MAX) return {};
    AllocationSteps::Step told;
    told.step.time_ns = *start;
    told.step.device = static_cast<uint32_t>(*device);
    const int64_t pid = pid_of(row.integer_or(1, 0));
    told.process = pids_.try_emplace(pid, static_cast<uint32_t>(pids_.size())).first->second;
    if (!pool || *pool == 0) return told;
    told.step.kind = AllocationKind::pool;
    told.holder = pools_.try_emplace({told.process, *pool}, pools_.size() + 1).first->second;
    if (is_allocation_size(pool_bytes)) told.held_bytes = static_cast<uint64_t>(*pool_bytes);
    return told;
  }
  static bool is_allocation_size(std::optional<int64_t> bytes) {
    return bytes && *bytes >= 0 && static_cast<uint64_t>(*bytes) <= kMostAllocation_bytes;
  }
  void add_allocation(const SqliteRow& row) {
    constexpr int64_t kAllocation = 0, kDeallocation = 1;  // ENUM_CUDA_DEV_MEM_EVENT_OPER
    constexpr int kAddress = 5, kBytes = 6, kKind = 7, kOperation = 8, kCorrelation = 9,
                  kImportedPool = 10;
    auto told = memory_step(row);
    const auto bytes = row.integer(kBytes), operation = row.integer(kOperation);
    if (!told || !is_allocation_size(bytes) ||
        (operation != kAllocation && operation != kDeallocation)) {
      ++trace_.losses[Loss::import_skipped];
      return;
    }
    // Of another process' pool the size is not told.
    if (told->holder == 0 && row.integer_or(kImportedPool, 0) != 0)
      told->step.kind = AllocationKind::pool;
    else if (told->holder == 0) told->step.kind = allocation_kind_of(row.integer(kKind));
    if (told->step.kind == AllocationKind::pinned) told->step.device = Allocation::kHost;
    told->step.bytes = static_cast<uint64_t>(*bytes);
    told->step.step = operation == kAllocation ? AllocationStep::allocate : AllocationStep::release;
    told->step.correlation = id_of(row.integer(kCorrelation), row.integer_or(1, 0));
    told->step.address = static_cast<uint64_t>(row.integer_or(kAddress, 0));
    memory_.add(*told);
  }
  void add_pool_event(const SqliteRow& row) {
    constexpr int64_t kDestroyed = 2, kLocal = 1;  // ENUM_CUDA_MEMPOOL_OPER, _TYPE
    constexpr int kOperation = 5, kType = 6;
    if (row.integer(kType) != kLocal) return;
    auto told = memory_step(row);
    if (told && row.integer(kOperation) == kDestroyed) told->held_bytes = 0;
    if (!told || told->holder == 0 || !told->held_bytes) return;
    told->only_held = true;
    memory_.add(*told);
  }
  absl::Status read_facts() {
    return file_.each("META_DATA_EXPORT", {"name", "value"}, [this](const SqliteRow& row) {
      if (row.text(0) == "EXPORT_PRODUCT_VERSION")
        trace_.process.facts.emplace_back("nsys_version", row.text(1));
    });
  }

  const SqliteFile& file_;
  Trace trace_;
  DistinctDetails details_;
  ThreadTable threads_;
  std::unordered_map<int64_t, NameId> strings_;
  AllocationSteps memory_;
  std::map<std::pair<uint64_t, int64_t>, uint64_t> pools_;  // process and address to number
  std::unordered_map<int64_t, uint32_t> pids_;  // process id to its number, in the order met
};

}  // namespace

// Tables without rows are not made: what is in every export shows one of a job that used no GPU.
bool holds_nsys_tables(const SqliteFile& file) {
  for (const char* table :
       {kKernels, kCopies, kFills, kGraphs, kCalls, "TARGET_INFO_SESSION_START_TIME"}) {
    if (file.has_table(table)) return true;
  }
  return false;
}

absl::StatusOr<Trace> read_nsys(const SqliteFile& file, const LoadOptions& options) {
  return NsysReader(file).read(options);
}

}  // namespace deepprof
