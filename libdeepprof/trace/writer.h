// Writes a .dprof file (docs/trace-format.md): append-only, self-framed chunks, so that whatever
// has been flushed is readable after SIGKILL, a full disk or a torn last write.
//
// One thread at a time. append() may encode and write a block (about every 16 K rows); it never
// throws but std::bad_alloc. A write that fails is not fatal: the writer counts what it could not
// keep as Loss::write_failed, says the reason once through error(), and tries again at every
// flush(): a disk that was full may have room again. It holds 12 MB at most (measured
// with every kind of row at once), whatever the length of the recording.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "libdeepprof/event/allocation.h"
#include "libdeepprof/event/event.h"
#include "libdeepprof/event/loss.h"
#include "libdeepprof/result.h"
#include "libdeepprof/trace/retention.h"

namespace deepprof {

struct TraceWriterOptions {
  std::string path;  // created 0600; an existing file or a link is an error
  uint64_t max_file_bytes = uint64_t{1} << 30;  // raw segments are let go beyond it; 0: no ceiling
};

class TraceWriter {
 public:
  // The empty file is there then; it is opened, and what it begins with is written, at the first
  // flush, on the thread that makes it.
  static Result<std::unique_ptr<TraceWriter>> create(const TraceWriterOptions& options);
  virtual ~TraceWriter() = default;

  // Must precede the first append() that uses the id. Ids are the caller's, dense from 1; a name
  // given again for an id is ignored.
  virtual void define_name(NameId id, std::string_view name) = 0;
  virtual void define_thread(uint32_t index, uint32_t pid, uint64_t tid, std::string_view name) = 0;
  virtual void define_device(uint32_t id, std::string_view name, uint32_t sm_count,
                             uint64_t memory_bytes, uint32_t compute_major, uint32_t compute_minor,
                             uint32_t max_threads_per_sm) = 0;
  // host, pid, command_line, rank, driver_version, cupti_version, tag.* ... The last value of a key
  // wins.
  virtual void set_fact(std::string_view key, std::string_view value) = 0;
  // The writer adds what it knows itself: write_failed and segment_evicted.
  virtual void set_losses(const LossCounts& losses) = 0;
  // Opaque bytes for whole-run statistics: written at once, never let go, the last of a key wins.
  virtual void put_blob(std::string_view key, std::string_view bytes) = 0;

  // `detail` is null unless event.has_detail().
  virtual void append(const Event& event, const Detail* detail) = 0;
  // A sampled value; device kHostDevice: the host.
  virtual void append_sample(int64_t time_ns, NameId metric, uint32_t device, double value) = 0;
  // A step of what is allocated, with what is in use after it.
  virtual void append_allocation(const Allocation& step) = 0;
  // A named range on the host (imported evidence); source as in RangeSource.
  virtual void append_range(int64_t start_ns, int64_t duration_ns, NameId name, uint32_t thread,
                            uint8_t source) = 0;
  // A time for which the events of a device (kHostDevice: the host's calls) are missing: in what is
  // copied into this file, or lost on the way to it.
  virtual void append_hole(uint32_t device, int64_t start_ns, int64_t end_ns) = 0;

  // The slowest stretches of the run so far: their events stay longest when some have to be let go.
  virtual void keep_slowest(std::span<const SlowStretch> stretches) = 0;

  // Everything appended so far becomes whole chunks in the file (not fsync: it must survive the
  // process, not the machine). Small partial blocks cost space: call it on a timer, not per event.
  virtual void flush() = 0;
  // flush(), then the index and the closing chunk. Nothing may follow.
  virtual void finish() = 0;

  virtual uint64_t bytes_written() const = 0;
  virtual uint64_t events_lost() const = 0;      // to failed writes
  virtual uint64_t events_evicted() const = 0;   // let go to keep the ceiling
  virtual const std::string& error() const = 0;  // first write error, empty: none
};

}  // namespace deepprof
