#include "test/end_to_end/same_events.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "libdeepprof/text.h"

namespace deepprof::test {
namespace {

const char* direction(CopyKind kind) {
  constexpr const char* kWords[] = {"unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
                                    "AtoD",    "DtoA", "DtoD", "HtoH", "PtoP"};
  return kWords[static_cast<size_t>(kind)];
}

const char* memory(MemoryKind kind) {
  constexpr const char* kWords[] = {"Unknown", "Pageable", "Pinned",        "Device",
                                    "Array",   "Managed",  "Device Static", "Managed Static"};
  return kWords[static_cast<size_t>(kind)];
}

std::string name_of(const Trace& trace, NameId id) { return std::string(trace.names[id]); }

// An event as one line of text: equal lines are equal events, and a differing one says why.
std::string line_of(const Trace& trace, const Op& op) {
  const Detail& d = trace.details[op.detail];
  const bool composed = op.kind == Kind::memcpy || op.kind == Kind::memset;
  const std::string name = composed ? name_as_composed(op, d) : name_of(trace, op.name);
  return format_text(
      "%lld +%lld %s device %u stream %u correlation %u node %u grid %ux%ux%u block %ux%ux%u "
      "registers %u shared %u "
      "bytes %llu copy %u %u->%u | %s",
      static_cast<long long>(op.start_ns), static_cast<long long>(op.duration_ns),
      kind_info(op.kind).name.data(), op.device, op.stream, op.correlation, op.graph_node, d.grid_x,
      d.grid_y, d.grid_z, d.block_x, d.block_y, d.block_z, d.registers, d.shared_bytes,
      static_cast<unsigned long long>(d.bytes), static_cast<unsigned>(d.copy_kind),
      static_cast<unsigned>(d.source), static_cast<unsigned>(d.destination), name.c_str());
}

std::string line_of(const Trace& trace, const HostCall& call) {
  const auto start = static_cast<long long>(call.start_ns),
             duration = static_cast<long long>(call.duration_ns);
  if (call.kind == Kind::sync) {
    return format_text("%lld +%lld sync type %u stream %u correlation %u", start, duration,
                       trace.details[call.detail].sync_type, call.stream, call.correlation);
  }
  const uint64_t tid = call.thread < trace.threads.size() ? trace.threads[call.thread].tid : 0;
  return format_text("%lld +%lld call thread %u correlation %u | %s", start, duration,
                     static_cast<uint32_t>(tid), call.correlation,
                     name_of(trace, call.name).c_str());
}

std::string line_of(const Trace& trace, const Overhead& overhead) {
  return format_text("%lld +%lld overhead | %s", static_cast<long long>(overhead.start_ns),
                     static_cast<long long>(overhead.duration_ns),
                     name_of(trace, overhead.name).c_str());
}

template <typename Events>
std::vector<std::string> lines_of(const Trace& trace, const Events& events) {
  std::vector<std::string> lines;
  for (const auto& event : events) lines.push_back(line_of(trace, event));
  std::sort(lines.begin(), lines.end());
  return lines;
}

template <typename Events>
std::string compare(const char* what, const Trace& expected, const Events& of_expected,
                    const Trace& actual, const Events& of_actual) {
  const auto a = lines_of(expected, of_expected), b = lines_of(actual, of_actual);
  if (a == b) return "";
  std::vector<std::string> missing, extra;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(missing));
  std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(extra));
  std::string text = format_text("%s: %zu expected, %zu found; %zu missing, %zu not expected\n",
                                 what, a.size(), b.size(), missing.size(), extra.size());
  for (size_t i = 0; i < std::min<size_t>(2, missing.size()); ++i)
    text += "  - " + missing[i] + "\n";
  for (size_t i = 0; i < std::min<size_t>(2, extra.size()); ++i) text += "  + " + extra[i] + "\n";
  return text;
}

}  // namespace

std::string name_as_composed(const Op& op, const Detail& detail) {
  if (op.kind == Kind::memset) return format_text("Memset (%s)", memory(detail.destination));
  return format_text("Memcpy %s (%s -> %s)", direction(detail.copy_kind), memory(detail.source),
                     memory(detail.destination));
}

std::string first_difference(const Trace& expected, const Trace& actual) {
  // The host counts its GPUs at its start, as CUDA's runtime does; no recording holds that call.
  constexpr uint32_t kFirstOfDriver = 0xf000'0000;
  std::vector<HostCall> replayed;
  std::copy_if(actual.calls.begin(), actual.calls.end(), std::back_inserter(replayed),
               [](const HostCall& call) { return call.correlation < kFirstOfDriver; });
  return compare("GPU ops", expected, expected.ops, actual, actual.ops) +
         compare("calls and waits", expected, expected.calls, actual, replayed) +
         compare("overheads", expected, expected.overheads, actual, actual.overheads);
}

}  // namespace deepprof::test
