// Sees everything that the drain thread writes, on that thread, before it reaches the file. May
// store blobs through the writer. What it throws (std::bad_alloc) ends the observation, never the
// writing.
#pragma once

#include <string_view>

#include "libdeepprof/event/event.h"
#include "libdeepprof/trace/writer.h"

namespace deepprof {

class DrainObserver {
 public:
  virtual ~DrainObserver() = default;
  virtual void name(NameId id, std::string_view text) = 0;
  // `detail`: null where nothing is known.
  virtual void event(const Event& event, const Detail* detail) = 0;
  // The file is about to be made whole; `last`: for the last time, no event follows.
  virtual void flush(TraceWriter& writer, bool last) = 0;
};

}  // namespace deepprof
