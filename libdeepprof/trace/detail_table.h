// The distinct details of the open segment, numbered from 1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libdeepprof/event/event.h"
#include "libdeepprof/trace/payloads.h"

namespace deepprof {

class DetailTable {
 public:
  // 0 when the table is full (kMaxDetailsPerSegment): begin a segment, clear(), and ask again.
  uint32_t intern(const Detail& detail);
  void clear();

  // Those not yet written, and the number of the first of them.
  std::span<const Detail> pending() const { return std::span(details_).subspan(written_); }
  uint32_t first_pending() const { return static_cast<uint32_t>(written_ + 1); }
  void mark_written() { written_ = details_.size(); }

 private:
  void grow();

  std::vector<Detail> details_;
  // open addressing, at most half full: number of the detail, 0 for empty
  std::vector<uint32_t> slots_;
  size_t written_ = 0;
};

}  // namespace deepprof
