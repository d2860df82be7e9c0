#include "libdeepprof/ring/event_ring.h"

#include <bit>

#include "libdeepprof/pages.h"

namespace deepprof {

EventRing::EventRing(size_t slots) : mask_(std::bit_ceil(slots) - 1) {
  slots_ = map_pages(capacity() * kSlotBytes);
  usable_ = slots_ == nullptr ? 0 : capacity();
}

EventRing::~EventRing() { unmap_pages(slots_, capacity() * kSlotBytes); }

}  // namespace deepprof
