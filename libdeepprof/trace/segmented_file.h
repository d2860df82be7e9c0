// The chunks of a .dprof file as the writer puts them: raw chunks in numbered segments that may be
// let go to keep the file under its ceiling, and chunks that are kept (names, facts, losses,
// blobs).
//
// A failed write stops everything until try_again(): later puts do nothing, and the file is cut
// back to its last whole chunk. See docs/decisions/0003-file-ceiling.md for why room is reused in
// place.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "libdeepprof/trace/chunk.h"
#include "libdeepprof/trace/file_room.h"
#include "libdeepprof/trace/let_go.h"
#include "libdeepprof/trace/output_file.h"
#include "libdeepprof/trace/payloads.h"
#include "libdeepprof/trace/retention.h"

namespace deepprof {

struct RawContent {
  uint64_t events = 0;  // what is lost when the chunk is let go
  int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
  LaneSpans lanes;
};

class SegmentedFile {
 public:
  // A ceiling under 1 MiB counts as 1 MiB; 0: none.
  static Result<std::unique_ptr<SegmentedFile>> create(const std::string& path, uint64_t ceiling);

  // What a file without a chunk begins with, if it is not there yet.
  void begin_file();
  // Begins a segment if none is open. False: the chunk is not in the file (let go at once, or
  // failed).
  bool put_raw(ChunkType type, ByteSpan payload, const RawContent& content = {});
  // Nothing after a failure. Give the extent to supersede() once a newer chunk has taken its place.
  std::optional<Extent> put_kept(ChunkType type, ByteSpan payload);
  void supersede(const Extent& older);
  // Events that another file, of which this one is a copy, had let go; or that were lost. Told by
  // tell_let_go().
  void let_go_earlier(const LaneSpan& span) {
    let_go_.add_earlier(span, most_let_go_earlier());
    let_go_told_ = false;
  }
  void tell_let_go();
  void keep_slowest(std::span<const SlowStretch> stretches) { retention_.keep_slowest(stretches); }

  bool segment_is_full() const;
  uint64_t segment_limit() const { return segment_limit_; }  // bytes that make it full
  void end_segment() { segment_open_ = false; }
  // The index, as the last chunk. May exceed the ceiling's reserve by its own length only.
  void close();

  uint64_t bytes_written() const { return room_.end(); }
  uint64_t events_evicted() const { return events_evicted_; }
  bool failed() const { return failed_; }
  const std::string& error() const { return error_; }
  // Lets later puts try again after a failure; error() stays.
  void try_again();

 private:
  struct Segment {
    IndexSegment index;
    LaneSpans lanes;
  };

  SegmentedFile(OutputFile file, const std::string& path, uint64_t ceiling);
  static uint64_t bytes_of(const Segment& segment);
  void begin_segment();
  std::optional<FileRoom::Place> find_room(uint64_t size);
  size_t choose_segment() const;
  bool let_a_segment_go();
  // The list of them is a small part of a segment, whose room it takes.
  size_t most_let_go_earlier() const {
    constexpr uint64_t kListed_bytes = 25, kPart = 4;
    return std::min<uint64_t>(LetGo::kMostEarlier, segment_limit_ / kPart / kListed_bytes);
  }
  enum class Ceiling { kept, may_be_exceeded };
  // False: there is no room under the ceiling.
  bool put_let_go(Ceiling ceiling);
  bool write_chunk(ChunkType type, uint32_t segment, ByteSpan payload, FileRoom::Place place);
  int write_file_header();
  void write_free_header(const Extent& extent);
  void fail(int reason, uint64_t offset);

  OutputFile file_;
  std::string path_;
  FileRoom room_;
  uint64_t segment_limit_;  // bytes
  uint64_t sequence_ = 0;
  uint32_t last_segment_ = 0;
  bool segment_open_ = false;
  std::deque<Segment> segments_;
  Retention retention_;
  LetGo let_go_;
  bool let_go_told_ = true;  // the file says all that let_go_ does
  std::optional<Extent> let_go_extent_;
  uint64_t kept_chunks_ = 0;
  uint64_t events_evicted_ = 0;
  bool header_written_ = false;
  bool failed_ = false;
  std::string error_;
  Bytes buffer_;
};

}  // namespace deepprof
