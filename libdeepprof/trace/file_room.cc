#include "libdeepprof/trace/file_room.h"

#include <algorithm>

#include "libdeepprof/trace/chunk.h"

namespace deepprof {
namespace {

constexpr uint64_t kLongestFree = uint64_t{kMaxPayloadBytes} + kChunkHeaderBytes;

}  // namespace

std::optional<FileRoom::Place> FileRoom::take(uint64_t size) {
  const auto fits = std::find_if(free_.begin(), free_.end(), [&](const Extent& extent) {
    return extent.size == size || extent.size >= size + kChunkHeaderBytes;
  });
  if (fits != free_.end()) {
    const Place place{fits->offset, fits->size - size};
    if (place.left_over == 0) {
      free_.erase(fits);
    } else {
      *fits = {fits->offset + size, place.left_over};
    }
    return place;
  }
  if (ceiling_ != 0 && end_ + size > ceiling_) return std::nullopt;
  return take_beyond_ceiling(size);
}

FileRoom::Place FileRoom::take_beyond_ceiling(uint64_t size) {
  const Place place{end_, 0};
  end_ += size;
  return place;
}

Extent FileRoom::give_back(Extent extent) {
  auto after = std::find_if(free_.begin(), free_.end(),
                            [&](const Extent& other) { return other.offset > extent.offset; });
  const auto joins = [](const Extent& a, const Extent& b) {
    return a.end() == b.offset && a.size + b.size <= kLongestFree;
  };
  if (after != free_.end() && joins(extent, *after)) {
    extent.size += after->size;
    after = free_.erase(after);
  }
  if (after != free_.begin() && joins(*(after - 1), extent)) {
    (after - 1)->size += extent.size;
    return *(after - 1);
  }
  return *free_.insert(after, extent);
}

}  // namespace deepprof
