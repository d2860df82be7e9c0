// nvprof's own file (`nvprof -o FILE`): SQLite whose tables are CUPTI's activity records.
#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>

#include "analysis/import/clamped.h"
#include "analysis/import/cupti_call_names.h"
#include "analysis/import/distinct_details.h"
#include "analysis/import/memory_names.h"
#include "analysis/import/sqlite_activity.h"
#include "analysis/import/sqlite_readers.h"
#include "analysis/import/thread_table.h"
#include "libdeepprof/event/api_calls.h"

namespace deepprof {
namespace {

// Kernels that could run beside others, and those of a serialized run.
constexpr const char* kKernelTables[] = {"CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL",
                                         "CUPTI_ACTIVITY_KIND_KERNEL"};
constexpr const char* kStrings = "StringTable";

MemoryKind memory_kind(int64_t number) {
  constexpr auto kLast = static_cast<int64_t>(MemoryKind::managed_static);
  return number >= 0 && number <= kLast ? static_cast<MemoryKind>(number) : MemoryKind::unknown;
}

std::string call_name(bool runtime, int64_t cbid) {
  if (cbid >= 0 && cbid <= UINT32_MAX) {
    if (const ApiCall* call = find_api_call(runtime, static_cast<uint32_t>(cbid)))
      return std::string(call->name);
  }
  if (const std::string_view name = cupti_call_name(runtime, cbid); !name.empty())
    return std::string(name);
  return (runtime ? "runtime call " : "driver call ") + std::to_string(cbid);
}

class NvprofReader {
 public:
  explicit NvprofReader(const SqliteFile& file) : file_(file), details_(trace_), threads_(trace_) {}

  absl::StatusOr<Trace> read(const LoadOptions& options) {
    using Step = absl::Status (NvprofReader::*)();
    constexpr Step kSteps[] = {&NvprofReader::read_strings, &NvprofReader::read_devices,
                               &NvprofReader::read_kernels, &NvprofReader::read_copies,
                               &NvprofReader::read_fills,   &NvprofReader::read_calls,
                               &NvprofReader::read_waits,   &NvprofReader::read_ranges};
    if (absl::Status status = run_steps(*this, kSteps, options); !status.ok()) return status;
    trace_.process.source = "nvprof";
    trace_.finish();
    return std::move(trace_);
  }

 private:
  absl::Status read_strings() {
    return file_.each(kStrings, {"_id_", "value"}, [this](const SqliteRow& row) {
      strings_[row.integer_or(0, 0)] = trace_.names.intern(row.text(1));
    });
  }
  NameId name_of(int64_t id) const {
    const auto found = strings_.find(id);
    return found != strings_.end() ? found->second : 0;
  }

  absl::Status read_devices() {
    return file_.each(
        "CUPTI_ACTIVITY_KIND_DEVICE",
        {"id", "name", "numMultiprocessors", "globalMemorySize", "computeCapabilityMajor",
         "computeCapabilityMinor", "maxWarpsPerMultiprocessor", "numThreadsPerWarp"},
        [this](const SqliteRow& row) {
          Device device;
          device.id = clamped<uint32_t>(row.integer_or(0, 0));
          device.name = trace_.names[name_of(row.integer_or(1, -1))];
          device.sm_count = clamped<uint32_t>(row.integer_or(2, 0));
          device.memory_bytes = clamped<uint64_t>(row.integer_or(3, 0));
          device.compute_major = clamped<uint32_t>(row.integer_or(4, 0));
          device.compute_minor = clamped<uint32_t>(row.integer_or(5, 0));
          device.max_threads_per_sm =
              clamped<uint32_t>(int64_t{clamped<uint16_t>(row.integer_or(6, 0))} *
                                clamped<uint16_t>(row.integer_or(7, 0)));
          trace_.devices.push_back(std::move(device));
        });
  }

  // The columns that all GPU ops share, in front of each kind's own.
  static std::vector<std::string> op_columns(const std::vector<std::string>& own) {
    return joined({"start", "end", "deviceId", "contextId", "streamId", "correlationId"}, own);
  }
  static constexpr int kOwn = 6;

  void add_op(const SqliteRow& row, Kind kind, NameId name, const Detail& detail) {
    const auto start = row.integer(0), end = row.integer(1), device = row.integer(2);
    // nvprof leaves the times of records that its buffers lost at 0.
    if (start.value_or(0) <= 0 || !end || !device || *device < 0 || *device > UINT16_MAX) {
      ++trace_.losses[Loss::import_skipped];
      return;
    }
    Op op;
    op.start_ns = *start;
    op.duration_ns = time_between(*start, *end);
    op.device = static_cast<uint16_t>(*device);
    op.context = clamped<uint32_t>(row.integer_or(3, 0));
    op.stream = static_cast<uint32_t>(row.integer_or(4, 0));
    op.correlation = static_cast<uint32_t>(row.integer_or(5, 0));
    op.kind = kind;
    op.name = name;
    op.detail = details_.intern(detail);
    trace_.ops.push_back(op);
  }

  absl::Status read_kernels() {
    for (const char* table : kKernelTables) {
      const absl::Status status = file_.each(
          table, op_columns(joined({"name"}, kLaunchColumns)), [this](const SqliteRow& row) {
            add_op(row, Kind::kernel, name_of(row.integer_or(kOwn, -1)),
                   launch_detail(row, kOwn + 1));
          });
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }
  absl::Status read_copies() {
    return file_.each(
        "CUPTI_ACTIVITY_KIND_MEMCPY", op_columns({"bytes", "copyKind", "srcKind", "dstKind"}),
        [this](const SqliteRow& row) {
          Detail detail;
          detail.bytes = clamped<uint64_t>(row.integer_or(kOwn, 0));
          detail.copy_kind = cupti_copy_kind(row.integer_or(kOwn + 1, 0));
          detail.source = memory_kind(row.integer_or(kOwn + 2, 0));
          detail.destination = memory_kind(row.integer_or(kOwn + 3, 0));
          add_op(row, Kind::memcpy, trace_.names.intern(copy_name(detail.copy_kind)), detail);
        });
  }
  absl::Status read_fills() {
    return file_.each("CUPTI_ACTIVITY_KIND_MEMSET", op_columns({"bytes", "memoryKind"}),
                      [this](const SqliteRow& row) {
                        Detail detail;
                        detail.bytes = clamped<uint64_t>(row.integer_or(kOwn, 0));
                        detail.destination = memory_kind(row.integer_or(kOwn + 1, 0));
                        add_op(row, Kind::memset, trace_.names.intern("Memset"), detail);
                      });
  }

  absl::Status read_calls() {
    if (absl::Status status = read_calls_of("CUPTI_ACTIVITY_KIND_RUNTIME", true); !status.ok())
      return status;
    return read_calls_of("CUPTI_ACTIVITY_KIND_DRIVER", false);
  }
  absl::Status read_calls_of(const char* table, bool runtime) {
    std::unordered_map<int64_t, NameId> names;
    return file_.each(
        table, {"start", "end", "processId", "threadId", "correlationId", "cbid"},
        [&](const SqliteRow& row) {
          HostCall call;
          call.start_ns = row.integer_or(0, 0);
          call.duration_ns = positive_time_between(call.start_ns, row.integer_or(1, call.start_ns));
          const int64_t pid = row.integer_or(2, 0);
          trace_.process.pid = static_cast<uint32_t>(pid);
          call.thread = threads_.index(std::to_string(pid), std::to_string(row.integer_or(3, 0)));
          call.correlation = static_cast<uint32_t>(row.integer_or(4, 0));
          const auto [name, is_new] = names.try_emplace(row.integer_or(5, 0), 0);
          if (is_new) name->second = trace_.names.intern(call_name(runtime, name->first));
          call.name = name->second;
          trace_.calls.push_back(call);
        });
  }
  absl::Status read_waits() {
    return file_.each(
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
        {"start", "end", "streamId", "correlationId", "type"}, [this](const SqliteRow& row) {
          HostCall wait;
          wait.kind = Kind::sync;
          wait.start_ns = row.integer_or(0, 0);
          wait.duration_ns = positive_time_between(wait.start_ns, row.integer_or(1, wait.start_ns));
          wait.stream = static_cast<uint32_t>(row.integer_or(2, kNone));
          wait.correlation = static_cast<uint32_t>(row.integer_or(3, 0));
          Detail detail;
          detail.sync_type = cupti_sync_type(row.integer_or(4, 0));
          wait.detail = details_.intern(detail);
          wait.name = trace_.names.intern(sync_name(detail.sync_type));
          wait.thread = thread_of(wait.correlation);
          trace_.calls.push_back(wait);
        });
  }
  // A wait is recorded without its thread; the call that waited has it.
  uint32_t thread_of(uint32_t correlation) {
    if (thread_of_call_.empty()) {
      for (const HostCall& call : trace_.calls)
        thread_of_call_.emplace(call.correlation, call.thread);
    }
    const auto found = thread_of_call_.find(correlation);
    return found != thread_of_call_.end() ? found->second : threads_.index("0", "unknown thread");
  }

  // CUpti_ActivityObjectKindId: process and thread, 32 bits each as calls have them.
  uint32_t marked_thread(int64_t object_kind, std::string_view object) {
    constexpr int64_t kThread = 2;
    std::array<int32_t, 2> ids{};
    if (object_kind != kThread || object.size() < sizeof ids)
      return threads_.index("0", "unknown thread");
    std::memcpy(ids.data(), object.data(), sizeof ids);
    return threads_.index(std::to_string(ids[0]), std::to_string(ids[1]));
  }

  // NVTX: a marker where a range starts, which holds its name, and one of the same id where it
  // ends.
  absl::Status read_ranges() {
    constexpr int64_t kStart = 2, kEnd = 4;  // CUpti_ActivityFlag
    std::unordered_map<int64_t, std::pair<int64_t, NameId>> open;
    return file_.each(
        "CUPTI_ACTIVITY_KIND_MARKER",
        {"flags", "timestamp", "id", "name", "objectKind", "objectId"}, [&](const SqliteRow& row) {
          const int64_t flags = row.integer_or(0, 0), time = row.integer_or(1, 0);
          const int64_t id = row.integer_or(2, 0);
          if (flags & kStart) {
            open[id] = {time, name_of(row.integer_or(3, -1))};
          } else if (const auto begun = open.find(id); (flags & kEnd) && begun != open.end()) {
            const auto [start, name] = begun->second;
            trace_.ranges.push_back({start, positive_time_between(start, time), name,
                                     marked_thread(row.integer_or(4, 0), row.text(5)),
                                     RangeSource::nvtx});
            open.erase(begun);
          }
        });
  }

  const SqliteFile& file_;
  Trace trace_;
  DistinctDetails details_;
  ThreadTable threads_;
  std::unordered_map<int64_t, NameId> strings_;
  std::unordered_map<uint32_t, uint32_t> thread_of_call_;
};

}  // namespace

// Nsight Systems calls its table of strings StringIds.
bool holds_nvprof_tables(const SqliteFile& file) {
  return file.has_table(kStrings) &&
         (file.has_table(kKernelTables[0]) || file.has_table(kKernelTables[1]) ||
          file.has_table("CUPTI_ACTIVITY_KIND_MEMCPY"));
}

absl::StatusOr<Trace> read_nvprof(const SqliteFile& file, const LoadOptions& options) {
  return NvprofReader(file).read(options);
}

}  // namespace deepprof
