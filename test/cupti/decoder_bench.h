// A decoder with all that it needs, and what it makes of records: for its tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libdeepprof/cupti/decoder.h"
#include "test/cupti/record_buffer.h"

namespace deepprof::cupti {

using test::RecordBuffer;

struct Decoded {
  Event event;
  Detail detail;
};

class Bench {
 public:
  explicit Bench(Strides strides = test::strides_of_13_0(), size_t name_bytes = 1 << 20)
      : strides_(strides),
        names_(log_, losses_, name_bytes),
        decoder_(strides_, api_, filter_, names_, log_, losses_) {}

  std::vector<Decoded> decode(const std::vector<uint8_t>& bytes, size_t valid_bytes) {
    std::vector<Decoded> out;
    decoder_.decode(bytes.data(), valid_bytes, [&](const Event& event, const Detail* detail) {
      out.push_back({event, detail == nullptr ? Detail{} : *detail});
    });
    return out;
  }
  std::vector<Decoded> decode(RecordBuffer& buffer) {
    return decode(buffer.bytes(), buffer.bytes().size());
  }
  RecordBuffer buffer() const { return RecordBuffer(strides_); }
  std::string name(const Decoded& decoded) const { return names_.text(decoded.event.name); }
  uint64_t lost(Loss loss) const { return losses_.snapshot()[loss]; }
  std::vector<Definition> definitions() { return log_.take(); }
  CallFilter& filter() { return filter_; }
  uint64_t calls_left_out() const { return decoder_.calls_left_out(); }

 private:
  Strides strides_;
  Api api_;
  CallFilter filter_;
  DefinitionLog log_;
  LossCounters losses_;
  NameInterner names_;
  Decoder decoder_;
};

}  // namespace deepprof::cupti
