// Where in the file the next chunk goes. The file grows at its end until it reaches the ceiling;
// room that was given back (an older copy of the losses, the chunks of a segment that was let go)
// is used first. Only arithmetic: the caller writes.
//
// Free room is always covered by the header of a free chunk, so that the file stays a chain of
// chunks; hence a piece too small for a header is never left over.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace deepprof {

struct Extent {
  uint64_t offset = 0;
  uint64_t size = 0;

  uint64_t end() const { return offset + size; }
  friend bool operator==(const Extent&, const Extent&) = default;
};

class FileRoom {
 public:
  struct Place {
    uint64_t offset = 0;
    uint64_t left_over = 0;  // bytes behind the chunk that need a new free header; 0: none
  };

  // `ceiling` 0: none.
  FileRoom(uint64_t used, uint64_t ceiling) : end_(used), ceiling_(ceiling) {}

  // Nothing when it does not fit under the ceiling.
  std::optional<Place> take(uint64_t size);
  // At the end of the file, whatever the ceiling says.
  Place take_beyond_ceiling(uint64_t size);
  // Returns the free extent that now covers `extent`: it needs a free header.
  Extent give_back(Extent extent);

  // Undoes the last growth, whose write failed.
  void retreat(uint64_t end) { end_ = end; }

  uint64_t end() const { return end_; }

 private:
  std::vector<Extent> free_;  // by offset, never adjacent unless joined they would be too long
  uint64_t end_;
  uint64_t ceiling_;
};

}  // namespace deepprof
