// Any bytes as a buffer that CUPTI returned, with any record sizes: decoding reads nothing outside
// the buffer, and every event that comes out can be written. The names of kernels are pointers, for
// which CUPTI alone can vouch: those are set to a real one.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "libdeepprof/cupti/decoder.h"
#include "test/cupti/record_buffer.h"
#include "test/fuzz/fuzz_target.h"

using namespace deepprof;
using namespace deepprof::cupti;

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

bool is_kernel(uint32_t kind) {
  return kind == static_cast<uint32_t>(ActivityKind::kernel) ||
         kind == static_cast<uint32_t>(ActivityKind::concurrent_kernel);
}

void vouch_for_names(std::vector<uint8_t>& buffer, const Strides& strides) {
  static const char name[] = "kernel";
  for (size_t at = 0; at + sizeof(uint32_t) <= buffer.size();) {
    const uint32_t kind = kRecordKind.read(&buffer[at]);
    const size_t stride = strides[kind];
    if (stride == 0 || stride > buffer.size() - at) return;
    const char* pointer = name;
    if (is_kernel(kind) && KernelLayout::name.within(stride))
      std::memcpy(&buffer[at + KernelLayout::name.offset], &pointer, sizeof pointer);
    at += stride;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 4) return 0;
  Strides strides = test::strides_of_13_0();
  // The first bytes change one record size: shorter than we need, longer than any CUPTI's, or none.
  strides.bytes[data[0] % kKindLimit] = static_cast<uint16_t>(data[1] * 2u);
  strides.bytes[data[2] % kKindLimit] = static_cast<uint16_t>(data[3] * 2u);
  std::vector<uint8_t> buffer(data + 4, data + size);
  buffer.shrink_to_fit();  // so that AddressSanitizer sees a read beyond it
  vouch_for_names(buffer, strides);

  const Api api;
  CallFilter filter;
  DefinitionLog log;
  LossCounters losses;
  NameInterner names(log, losses, 4096);
  Decoder decoder(strides, api, filter, names, log, losses);
  size_t events = 0;
  const size_t walked =
      decoder.decode(buffer.data(), buffer.size(), [&](const Event& event, const Detail* detail) {
        ++events;
        require(event.start_ns > 0 && event.duration_ns() >= 0 && event.end_ns() > 0, "times");
        require(event.has_detail() == (detail != nullptr), "detail");
        require(kind_info(event.kind()).kind != Kind::none, "kind");
        require(std::strlen(names.text(event.name)) < 4096, "name");
      });
  require(events <= walked, "an event comes of a record");
  return 0;
}
