#include "analysis/import/kineto_members.h"

#include <simdjson.h>

#include <string>

#include "analysis/import/decimal.h"
#include "analysis/import/json_text.h"
#include "analysis/import/message.h"

namespace deepprof {
namespace {

namespace dom = simdjson::dom;

template <typename Number>
Number number_of(dom::object object, std::string_view key) {
  uint64_t value = 0;
  return object[key].get(value) == simdjson::SUCCESS ? static_cast<Number>(value) : Number{0};
}

void read_devices(dom::element value, Trace& trace) {
  dom::array devices;
  if (value.get(devices) != simdjson::SUCCESS) return;
  for (const dom::element item : devices) {
    dom::object object;
    if (item.get(object) != simdjson::SUCCESS) continue;
    Device device;
    std::string_view name;
    if (object["name"].get(name) == simdjson::SUCCESS) device.name = name;
    device.id = number_of<uint32_t>(object, "id");
    device.sm_count = number_of<uint32_t>(object, "numSms");
    device.memory_bytes = number_of<uint64_t>(object, "totalGlobalMem");
    device.compute_major = number_of<uint32_t>(object, "computeMajor");
    device.compute_minor = number_of<uint32_t>(object, "computeMinor");
    device.max_threads_per_sm = number_of<uint32_t>(object, "maxThreadsPerMultiprocessor");
    trace.devices.push_back(std::move(device));
  }
}

void read_distributed(dom::element value, Trace& trace) {
  dom::object object;
  if (value.get(object) != simdjson::SUCCESS) return;
  int64_t number = 0;
  if (object["rank"].get(number) == simdjson::SUCCESS)
    trace.process.rank = static_cast<int>(number);
  if (object["world_size"].get(number) == simdjson::SUCCESS)
    trace.process.world_size = static_cast<int>(number);
  for (const char* key : {"backend", "nccl_version"}) {
    std::string_view text;
    if (object[key].get(text) == simdjson::SUCCESS)
      trace.process.facts.emplace_back(key, std::string(text));
  }
}

// CUDA writes 12090 for 12.9; HIP's numbers have no such rule and stay as they are.
std::string cuda_version(int64_t number) { return concat(number / 1000, ".", number % 1000 / 10); }

constexpr struct {
  std::string_view member, fact;
  bool is_cuda_version;
} kFacts[] = {
    {"cuda_driver_version", "driver_version", true},
    {"cuda_runtime_version", "runtime_version", true},
    {"cupti_version", "cupti_version", false},
    {"hip_driver_version", "driver_version", false},
    {"hip_runtime_version", "runtime_version", false},
    {"roctracer_version", "roctracer_version", false},
    {"trace_id", "trace_id", false},
};

void read_fact(std::string_view key, std::string_view value, Trace& trace) {
  for (const auto& row : kFacts) {
    if (row.member != key) continue;
    const auto number = integer_of(value);
    std::string text = value.size() >= 2 && value[0] == '"'
                           ? unescape_json(value.substr(1, value.size() - 2))
                           : std::string(value);
    if (row.is_cuda_version && number) text = cuda_version(*number);
    trace.process.facts.emplace_back(row.fact, std::move(text));
  }
}

}  // namespace

void read_kineto_member(std::string_view key, std::string_view value, Trace& trace) {
  if (key == "baseTimeNanoseconds") {
    trace.clock_base_ns = integer_of(value).value_or(0);
    return;
  }
  if (key != "deviceProperties" && key != "distributedInfo") return read_fact(key, value, trace);
  dom::parser parser;
  dom::element element;
  if (parser.parse(value.data(), value.size()).get(element) != simdjson::SUCCESS) return;
  if (key == "deviceProperties") {
    read_devices(element, trace);
  } else {
    read_distributed(element, trace);
  }
}

}  // namespace deepprof
