#include "libdeepprof/trace/allocation_block.h"

#include <map>
#include <utility>

namespace deepprof {
namespace {

constexpr unsigned kInferredRelease = 3;  // behind those of AllocationStep

unsigned step_number(const Allocation& a) {
  return a.inferred ? kInferredRelease : static_cast<unsigned>(a.step);
}

// What is in use after a step follows from what was before it, but for the first step of a kind in
// a block and what the ledger knows better.
class InUsePrediction {
 public:
  uint64_t after(const Allocation& step) {
    const uint64_t before = in_use_[{step.device, step.kind}];
    return step.step == AllocationStep::allocate ? before + step.bytes : before - step.bytes;
  }
  void is(const Allocation& step) { in_use_[{step.device, step.kind}] = step.in_use_bytes; }

 private:
  std::map<std::pair<uint32_t, AllocationKind>, uint64_t> in_use_;
};

}  // namespace

void encode_allocations(std::span<const Allocation> allocations, StreamPacker& packer,
                        ByteSink& out) {
  ByteSink columns;
  for (const Allocation& a : allocations)
    columns.put(static_cast<uint8_t>(static_cast<uint8_t>(a.kind) | step_number(a) << 4));
  for (const Allocation& a : allocations) columns.put_varint(a.device);
  Allocation before;
  for (const Allocation& a : allocations) {
    columns.put_zigzag(wrapping_sub(a.time_ns, before.time_ns));
    before = a;
  }
  before = {};
  for (const Allocation& a : allocations) {
    columns.put_zigzag(static_cast<int64_t>(a.address - before.address));
    before = a;
  }
  before = {};
  for (const Allocation& a : allocations) {
    columns.put_zigzag(static_cast<int64_t>(a.correlation) - before.correlation);
    before = a;
  }
  for (const Allocation& a : allocations) columns.put_varint(a.bytes);
  InUsePrediction predicted;
  for (const Allocation& a : allocations) {
    columns.put_zigzag(static_cast<int64_t>(a.in_use_bytes - predicted.after(a)));
    predicted.is(a);
  }
  out.put_varint(allocations.size());
  packer.pack(columns.bytes(), out);
}

bool decode_allocations(ByteSpan payload, StreamUnpacker& unpacker,
                        std::vector<Allocation>& allocations) {
  constexpr size_t kMostBytes = 1 + 6 * kMaxVarintBytes;  // of a step
  ByteReader in(payload);
  allocations.assign(in.take_varint(kMaxBlockAllocations), {});
  Bytes storage;
  ByteReader columns(unpacker.unpack(in, allocations.size() * kMostBytes, storage));
  for (Allocation& a : allocations) {
    const auto packed = columns.take<uint8_t>();
    // Of a newer version's kinds it is known that they are none of ours.
    const unsigned kind = packed & 0xf, step = packed >> 4;
    a.kind = kind < kAllocationKinds ? static_cast<AllocationKind>(kind) : AllocationKind::unknown;
    if (step < 1 || step > kInferredRelease) columns.fail();
    a.inferred = step == kInferredRelease;
    a.step = a.inferred ? AllocationStep::release : static_cast<AllocationStep>(step);
  }
  for (Allocation& a : allocations)
    a.device = static_cast<uint32_t>(columns.take_varint(UINT32_MAX));
  Allocation before;
  for (Allocation& a : allocations) {
    a.time_ns = wrapping_add(before.time_ns, columns.take_zigzag());
    before = a;
  }
  before = {};
  for (Allocation& a : allocations) {
    a.address = before.address + static_cast<uint64_t>(columns.take_zigzag());
    before = a;
  }
  before = {};
  for (Allocation& a : allocations) {
    a.correlation = before.correlation + static_cast<uint32_t>(columns.take_zigzag());
    before = a;
  }
  for (Allocation& a : allocations) a.bytes = columns.take_varint();
  InUsePrediction predicted;
  for (Allocation& a : allocations) {
    a.in_use_bytes = predicted.after(a) + static_cast<uint64_t>(columns.take_zigzag());
    predicted.is(a);
  }
  return !columns.failed() && columns.remaining() == 0 && !in.failed() && in.remaining() == 0;
}

}  // namespace deepprof
