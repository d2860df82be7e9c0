#include "analysis/import/kineto_events.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>

#include "analysis/import/clamped.h"
#include "analysis/import/decimal.h"
#include "analysis/import/memory_names.h"
#include "analysis/model/incomplete.h"
#include "libdeepprof/event/allocation_events.h"

namespace deepprof {
namespace {

struct Interval {
  int64_t start_ns, duration_ns;
};

// Kineto writes microseconds with up to three decimals. Impossible values pass: Trace::finish()
// counts them.
std::optional<Interval> interval_of(const ChromeEvent& event) {
  const auto start = decimal_shifted(event.ts, 3);
  const auto duration = decimal_shifted(event.dur, 3);
  if (!start || !duration) return std::nullopt;
  return Interval{*start, *duration};
}

template <typename Number>
Number clamped_number(std::string_view text) {
  return clamped<Number>(integer_of(text).value_or(0));
}

// Ids wrap at 32 bits in CUPTI itself; -1 is its "not known".
uint32_t id_of(std::string_view text, uint32_t otherwise) {
  const auto value = integer_of(text);
  return value ? static_cast<uint32_t>(*value) : otherwise;
}

// Traces of 2021 name a stream's row "stream 7".
uint32_t stream_of(const ChromeEvent& event) {
  if (const auto stream = integer_of(event.stream)) return static_cast<uint32_t>(*stream);
  std::string_view row = event.tid.text;
  if (row.substr(0, 7) == "stream ") row.remove_prefix(7);
  return id_of(row, 0);
}

// PyTorch's names of element types; 0: not known.
uint64_t bytes_of_element(std::string_view type) {
  constexpr struct {
    std::string_view name;
    uint64_t bytes;
  } kTypes[] = {{"Float", 4},  {"BFloat16", 2},     {"Half", 2},          {"Double", 8},
                {"Long", 8},   {"Int", 4},          {"Short", 2},         {"Byte", 1},
                {"Char", 1},   {"Bool", 1},         {"UInt16", 2},        {"UInt32", 4},
                {"UInt64", 8}, {"ComplexFloat", 8}, {"ComplexDouble", 16}};
  for (const auto& row : kTypes) {
    if (row.name == type) return row.bytes;
  }
  return type.starts_with("Float8") ? 1 : 0;
}

// No GPU holds a thousandth of it: more is a broken number, and sums stay far from overflow.
constexpr uint64_t kMostPayload_bytes = uint64_t{1} << 50;

// What a collective moves: the larger of what a rank gives and gets, as benchmarks count it.
uint64_t payload_of(const ChromeEvent& event) {
  const uint64_t elements = std::max(clamped<uint64_t>(integer_of(event.in_elements).value_or(0)),
                                     clamped<uint64_t>(integer_of(event.out_elements).value_or(0)));
  uint64_t bytes = 0;
  const bool fits = !__builtin_mul_overflow(elements, bytes_of_element(event.element_type), &bytes);
  return fits && bytes <= kMostPayload_bytes ? bytes : 0;
}

// What idle time and its causes are made of. No profiler writes it as pairs of begin and end.
bool is_of_the_gpu_or_a_call(KinetoEvent kind) {
  return kind == KinetoEvent::kernel || kind == KinetoEvent::memcpy ||
         kind == KinetoEvent::memset || kind == KinetoEvent::call || kind == KinetoEvent::sync;
}

uint8_t sync_type_of(std::string_view word) {
  constexpr std::string_view kWords[] = {"Event Sync", "Stream Wait Event", "Stream Sync",
                                         "Context Sync"};
  for (uint8_t i = 0; i < std::size(kWords); ++i) {
    if (word == kWords[i]) return static_cast<uint8_t>(i + 1);
  }
  return 0;
}

}  // namespace

void KinetoEvents::add(const ChromeEvent& event) {
  if (event.phase == 'M') return add_metadata(event);
  if (event.phase == 'i' && event.name.text == "[memory]" && !add_memory(event))
    ++trace_.losses[Loss::import_skipped];
  const KinetoEvent kind = kineto_event(event.category.text);
  if ((event.phase == 'B' || event.phase == 'b') && is_of_the_gpu_or_a_call(kind))
    ++trace_.losses[Loss::import_skipped];
  if (event.phase != 'X') return;
  bool understood = true;
  switch (kind) {
    case KinetoEvent::ignored: return;
    case KinetoEvent::other_device: ++other_devices_[std::string(event.category.text)]; return;
    case KinetoEvent::kernel:
    case KinetoEvent::memcpy:
    case KinetoEvent::memset: understood = add_op(event, kind); break;
    case KinetoEvent::call: understood = add_call(event); break;
    case KinetoEvent::sync: understood = add_sync(event); break;
    case KinetoEvent::overhead: understood = add_overhead(event); break;
    case KinetoEvent::annotation: understood = add_range(event, RangeSource::annotation); break;
    case KinetoEvent::framework_op: understood = add_range(event, RangeSource::framework_op); break;
    case KinetoEvent::python: understood = add_range(event, RangeSource::python); break;
  }
  if (!understood) ++trace_.losses[Loss::import_skipped];
}

NameId KinetoEvents::intern(const RawScalar& name) {
  if (name.text.find('\\') == std::string_view::npos) return trace_.names.intern(name.text);
  return trace_.names.intern(name.decoded());
}

void KinetoEvents::add_metadata(const ChromeEvent& event) {
  if (event.name.text == "thread_name") {
    threads_.set_name(event.pid.text, event.tid.text, event.arg_name.decoded());
  } else if (event.name.text == "process_name") {
    process_names_[std::string(event.pid.text)] = event.arg_name.decoded();
  }
}

bool KinetoEvents::names_process(std::string_view name) const {
  return std::any_of(process_names_.begin(), process_names_.end(),
                     [&](const auto& process) { return process.second == name; });
}

bool KinetoEvents::add_op(const ChromeEvent& event, KinetoEvent kind) {
  const auto times = interval_of(event);
  const auto device = integer_of(event.device.empty() ? event.pid.text : event.device);
  if (!times || !device || *device < 0 || *device > std::numeric_limits<uint16_t>::max())
    return false;
  Op op;
  op.start_ns = times->start_ns;
  op.duration_ns = times->duration_ns;
  op.correlation = id_of(event.correlation, 0);
  op.name = intern(event.name);
  op.stream = stream_of(event);
  op.detail = detail_of(event, kind, trace_.names[op.name]);
  op.graph_node = id_of(event.graph_node, 0);
  op.context = id_of(event.context, 0);
  op.device = static_cast<uint16_t>(*device);
  op.kind = kind == KinetoEvent::kernel   ? Kind::kernel
            : kind == KinetoEvent::memcpy ? Kind::memcpy
                                          : Kind::memset;
  trace_.ops.push_back(op);
  return true;
}

uint32_t KinetoEvents::detail_of(const ChromeEvent& event, KinetoEvent kind,
                                 std::string_view name) {
  Detail detail;
  if (kind == KinetoEvent::kernel) {
    detail.grid_x = clamped_number<uint32_t>(event.grid[0]);
    detail.grid_y = clamped_number<uint16_t>(event.grid[1]);
    detail.grid_z = clamped_number<uint16_t>(event.grid[2]);
    detail.block_x = clamped_number<uint16_t>(event.block[0]);
    detail.block_y = clamped_number<uint16_t>(event.block[1]);
    detail.block_z = clamped_number<uint16_t>(event.block[2]);
    detail.registers = clamped_number<uint16_t>(event.registers);
    detail.shared_bytes = clamped_number<uint32_t>(event.shared_bytes);
    detail.bytes = payload_of(event);
    if (const auto ranks = integer_of(event.group_size)) group_sizes_.insert(*ranks);
  } else {
    detail.bytes = clamped_number<uint64_t>(event.bytes);
    read_memory_kinds(name, detail);
    if (kind == KinetoEvent::memcpy) {
      detail.copy_kind = copy_kind_of(name);
      if (detail.copy_kind == CopyKind::unknown) detail.copy_kind = copy_kind_of(event.kind.text);
    }
  }
  return details_.intern(detail);
}

bool KinetoEvents::add_call(const ChromeEvent& event) {
  const auto times = interval_of(event);
  if (!times) return false;
  HostCall call;
  call.start_ns = times->start_ns;
  call.duration_ns = times->duration_ns;
  call.correlation = id_of(event.correlation, 0);
  call.name = intern(event.name);
  call.thread = threads_.index(event.pid.text, event.tid.text);
  trace_.calls.push_back(call);
  return true;
}

// A wait lies on the row of the stream that was waited for; its thread is found by finish().
bool KinetoEvents::add_sync(const ChromeEvent& event) {
  const auto times = interval_of(event);
  if (!times) return false;
  Detail detail;
  detail.sync_type = sync_type_of(event.sync_kind.empty() ? event.name.text : event.sync_kind.text);
  HostCall wait;
  wait.start_ns = times->start_ns;
  wait.duration_ns = times->duration_ns;
  wait.correlation = id_of(event.correlation, 0);
  wait.name = intern(event.name);
  wait.thread = kNone;
  wait.stream = id_of(event.stream, kNone);
  wait.detail = details_.intern(detail);
  wait.kind = Kind::sync;
  trace_.calls.push_back(wait);
  return true;
}

bool KinetoEvents::add_overhead(const ChromeEvent& event) {
  const auto times = interval_of(event);
  if (!times) return false;
  trace_.overheads.push_back({times->start_ns, times->duration_ns, intern(event.name)});
  return true;
}

// A step of PyTorch's allocators (profile_memory=True). The traces of 2021 have no addresses and no
// sums; other frameworks' events of this name (Paddle) have other fields, and are no loss.
bool KinetoEvents::add_memory(const ChromeEvent& event) {
  constexpr int64_t kCpu = 0;  // of c10::DeviceType
  if (event.bytes.empty() || event.bytes == "0") return true;
  constexpr auto kMost = static_cast<int64_t>(kMostAllocation_bytes);
  const auto time_ns = decimal_shifted(event.ts, 3);
  const auto bytes = integer_of(event.bytes), type = integer_of(event.device_type),
             device = integer_of(event.device);
  if (!time_ns || !bytes || *bytes < -kMost || *bytes > kMost || !type || !device) return false;
  if (*type != kCpu && (*device < 0 || *device > std::numeric_limits<uint16_t>::max()))
    return false;
  AllocationSteps::Step told;
  told.step.time_ns = *time_ns;
  told.step.kind = AllocationKind::framework;
  told.step.step = *bytes > 0 ? AllocationStep::allocate : AllocationStep::release;
  told.step.bytes = static_cast<uint64_t>(std::abs(*bytes));
  told.step.device = *type == kCpu ? Allocation::kHost : static_cast<uint32_t>(*device);
  const auto count = [](std::string_view text) -> std::optional<uint64_t> {
    const auto value = integer_of(text);
    return value && *value >= 0 ? std::optional(static_cast<uint64_t>(*value)) : std::nullopt;
  };
  told.step.address = count(event.address).value_or(0);
  told.in_use_bytes = count(event.in_use_bytes);
  if (*type != kCpu) told.held_bytes = count(event.held_bytes);
  if (told.in_use_bytes.value_or(0) > kMostAllocation_bytes ||
      told.held_bytes.value_or(0) > kMostAllocation_bytes)
    return false;
  told.holder = uint64_t{told.step.device} + 1;
  memory_.add(told);
  return true;
}

bool KinetoEvents::add_range(const ChromeEvent& event, RangeSource source) {
  const auto times = interval_of(event);
  if (!times) return false;
  if (event.name.text.starts_with("ProfilerStep#")) source = RangeSource::step;
  trace_.ranges.push_back({times->start_ns, times->duration_ns, intern(event.name),
                           threads_.index(event.pid.text, event.tid.text), source});
  return true;
}

void KinetoEvents::finish() {
  if (!other_devices_.empty() && trace_.ops.empty()) {
    std::string unread;
    for (const auto& [category, count] : other_devices_)
      unread += (unread.empty() ? "" : ", ") + std::to_string(count) + " of " + category;
    trace_.process.facts.emplace_back(
        kUnreadDevice, "there are events of another accelerator (" + unread +
                           "), which are not read: DeepProf knows NVIDIA's and AMD's GPUs");
  }
  // Of one group of ranks alone: an op has no place for the size of its own.
  if (group_sizes_.size() == 1)
    trace_.process.facts.emplace_back(kCollectiveRanks, std::to_string(*group_sizes_.begin()));
  memory_.finish(AllocationKind::framework_reserved, AllocationSteps::From::some_time_on, trace_);
  threads_.apply_names();
  if (!trace_.threads.empty()) {
    trace_.process.pid = trace_.threads[0].pid;
    const auto named = process_names_.find(std::to_string(trace_.process.pid));
    if (named != process_names_.end())
      trace_.process.facts.emplace_back("process_name", named->second);
  }
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

}  // namespace deepprof
