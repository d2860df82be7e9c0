#include "libdeepprof/trace/segmented_file.h"

#include <algorithm>
#include <cstring>

#include "libdeepprof/text.h"
#include "libdeepprof/trace/crc32c.h"

namespace deepprof {
namespace {

constexpr uint64_t kLeastCeiling = uint64_t{1} << 20;
constexpr uint64_t kClosingReserve = uint64_t{32} << 10;  // for the index of a file at its ceiling
constexpr uint64_t kLargestSegment = uint64_t{16} << 20;
// A segment is the least that is let go: with 32 of them at most 3 % of the room stands empty.
constexpr uint64_t kSegmentsPerFile = 32;

uint64_t effective_ceiling(uint64_t ceiling) {
  return ceiling == 0 ? 0 : std::max(ceiling, kLeastCeiling) - kClosingReserve;
}

void append_extent(IndexSegment& segment, const Extent& extent) {
  if (!segment.extents.empty()) {
    auto& [offset, size] = segment.extents.back();
    if (offset + size == extent.offset) {
      size += extent.size;
      return;
    }
  }
  segment.extents.emplace_back(extent.offset, extent.size);
}

}  // namespace

Result<std::unique_ptr<SegmentedFile>> SegmentedFile::create(const std::string& path,
                                                             uint64_t ceiling) {
  Result<OutputFile> file = OutputFile::create(path);
  if (!file.ok()) return Error{file.error()};
  return std::unique_ptr<SegmentedFile>(new SegmentedFile(std::move(file).value(), path, ceiling));
}

SegmentedFile::SegmentedFile(OutputFile file, const std::string& path, uint64_t ceiling)
    : file_(std::move(file)),
      path_(path),
      room_(kFileHeaderBytes, effective_ceiling(ceiling)),
      segment_limit_(ceiling == 0 ? kLargestSegment
                                  : std::min(effective_ceiling(ceiling) / kSegmentsPerFile,
                                             kLargestSegment)) {}

void SegmentedFile::fail(int reason, uint64_t offset) {
  failed_ = true;
  if (error_.empty()) {
    error_ = format_text("%s: writing at byte %llu failed: %s", path_.c_str(),
                         static_cast<unsigned long long>(offset), strerror(reason));
  }
}

// Not when the file is created: that is another thread than the one that writes.
int SegmentedFile::write_file_header() {
  if (header_written_) return 0;
  const int reason = file_.write_at(0, encode_file_header());
  header_written_ = reason == 0;
  return reason;
}

void SegmentedFile::begin_file() {
  if (failed_) return;
  if (const int reason = write_file_header(); reason != 0) fail(reason, 0);
}

bool SegmentedFile::write_chunk(ChunkType type, uint32_t segment, ByteSpan payload,
                                FileRoom::Place place) {
  ChunkHeader header;
  header.type = type;
  header.length = static_cast<uint32_t>(payload.size());
  header.segment = segment;
  header.sequence = ++sequence_;
  header.payload_crc = crc32c(payload);

  const size_t size = kChunkHeaderBytes + payload.size();
  buffer_.resize(size + (place.left_over > 0 ? kChunkHeaderBytes : 0));
  encode(header, std::span(buffer_).first<kChunkHeaderBytes>());
  std::copy(payload.begin(), payload.end(), buffer_.begin() + kChunkHeaderBytes);
  if (place.left_over > 0) {
    // In the same write as the chunk, so that the chain of chunks is never broken for long.
    ChunkHeader rest;
    rest.length = static_cast<uint32_t>(place.left_over - kChunkHeaderBytes);
    encode(rest, std::span(buffer_).subspan(size).first<kChunkHeaderBytes>());
  }
  int reason = write_file_header();
  if (reason == 0) reason = file_.write_at(place.offset, buffer_);
  if (reason == 0) return true;

  fail(reason, place.offset);
  const Extent taken{place.offset, size};
  if (taken.end() == room_.end()) {
    room_.retreat(place.offset);
    file_.truncate(place.offset);
  } else {
    write_free_header(room_.give_back(taken));
  }
  return false;
}

void SegmentedFile::write_free_header(const Extent& extent) {
  ChunkHeader header;
  header.length = static_cast<uint32_t>(extent.size - kChunkHeaderBytes);
  std::array<uint8_t, kChunkHeaderBytes> bytes;
  encode(header, bytes);
  if (const int reason = file_.write_at(extent.offset, bytes); reason != 0)
    fail(reason, extent.offset);
}

uint64_t SegmentedFile::bytes_of(const Segment& segment) {
  uint64_t bytes = 0;
  for (const auto& extent : segment.index.extents) bytes += extent.second;
  return bytes;
}

size_t SegmentedFile::choose_segment() const {
  if (segments_.size() == 1) return 0;
  std::vector<HeldSegment> held;
  for (const Segment& segment : segments_)
    held.push_back({segment.index.number, bytes_of(segment), &segment.lanes});
  return retention_.choose(held, let_go_);
}

bool SegmentedFile::let_a_segment_go() {
  if (segments_.empty() || (segment_open_ && segments_.size() == 1)) return false;
  const auto chosen = segments_.begin() + static_cast<std::ptrdiff_t>(choose_segment());
  Segment gone = std::move(*chosen);
  segments_.erase(chosen);
  events_evicted_ += gone.index.events;
  let_go_.add(gone.index.number, gone.index.events, gone.lanes);
  let_go_told_ = false;

  // The file says what is let go before any other room is written again, or a reader of a killed
  // job's file would take what is left of a segment for all of it. The room for saying so is the
  // segment's own: its largest piece, which the list fits into even where small pieces were reused.
  auto& extents = gone.index.extents;
  const auto largest = std::max_element(extents.begin(), extents.end(),
                                        [](auto& a, auto& b) { return a.second < b.second; });
  if (largest != extents.end()) std::swap(*largest, extents.front());
  Extent first;
  if (!extents.empty()) first = room_.give_back({extents[0].first, extents[0].second});
  const std::optional<Extent> older = let_go_extent_;
  put_let_go(Ceiling::may_be_exceeded);
  const bool in_first = let_go_extent_ && let_go_extent_->offset >= first.offset &&
                        let_go_extent_->offset < first.end();
  if (!extents.empty() && !in_first) write_free_header(first);
  for (size_t i = 1; i < extents.size(); ++i) {
    write_free_header(room_.give_back({extents[i].first, extents[i].second}));
  }
  if (older && let_go_extent_ != older) write_free_header(room_.give_back(*older));
  return true;
}

bool SegmentedFile::put_let_go(Ceiling ceiling) {
  if (let_go_.runs().empty()) return true;
  ByteSink payload;
  let_go_.encode(payload);
  const uint64_t size = kChunkHeaderBytes + payload.size();
  std::optional<FileRoom::Place> place = room_.take(size);
  if (!place && ceiling == Ceiling::kept) return false;
  if (!place) place = room_.take_beyond_ceiling(size);
  if (!write_chunk(ChunkType::let_go, 0, payload.bytes(), *place)) return true;
  let_go_extent_ = {place->offset, size};
  let_go_told_ = true;
  return true;
}

void SegmentedFile::tell_let_go() {
  if (let_go_told_ || failed_) return;
  const std::optional<Extent> older = let_go_extent_;
  if (!put_let_go(Ceiling::kept)) {
    if (let_a_segment_go()) return;  // that tells all
    put_let_go(Ceiling::may_be_exceeded);
  }
  if (let_go_told_ && older) write_free_header(room_.give_back(*older));
}

void SegmentedFile::try_again() {
  failed_ = false;
  tell_let_go();
}

std::optional<FileRoom::Place> SegmentedFile::find_room(uint64_t size) {
  std::optional<FileRoom::Place> place = room_.take(size);
  while (!place && let_a_segment_go()) {
    if (failed_) return std::nullopt;
    place = room_.take(size);
  }
  return place;
}

void SegmentedFile::begin_segment() {
  segments_.push_back({});
  segment_open_ = true;
  segments_.back().index.number = ++last_segment_;

  constexpr size_t kSize = kChunkHeaderBytes + kSegmentPayloadBytes;
  const std::optional<FileRoom::Place> place = find_room(kSize);
  // the segment lives without its head: readers need it only to find stale chunks
  if (!place) return;
  ByteSink payload;
  encode_segment({last_segment_, segments_.front().index.number, events_evicted_}, payload);
  if (write_chunk(ChunkType::segment, last_segment_, payload.bytes(), *place)) {
    append_extent(segments_.back().index, {place->offset, kSize});
  }
}

bool SegmentedFile::put_raw(ChunkType type, ByteSpan payload, const RawContent& content) {
  if (failed_) return false;
  if (!segment_open_) begin_segment();
  if (failed_) return false;
  const uint64_t size = kChunkHeaderBytes + payload.size();
  const std::optional<FileRoom::Place> place = find_room(size);
  if (failed_) return false;
  if (!place) {
    events_evicted_ += content.events;
    return false;
  }
  if (!write_chunk(type, last_segment_, payload, *place)) return false;

  segments_.back().lanes.add(content.lanes);
  IndexSegment& segment = segments_.back().index;
  append_extent(segment, {place->offset, size});
  ++segment.chunks;
  segment.events += content.events;
  segment.first_ns = std::min(segment.first_ns, content.first_ns);
  segment.last_ns = std::max(segment.last_ns, content.last_ns);
  return true;
}

bool SegmentedFile::segment_is_full() const {
  return segment_open_ && bytes_of(segments_.back()) >= segment_limit_;
}

std::optional<Extent> SegmentedFile::put_kept(ChunkType type, ByteSpan payload) {
  if (failed_) return std::nullopt;
  const uint64_t size = kChunkHeaderBytes + payload.size();
  std::optional<FileRoom::Place> place = find_room(size);
  if (failed_) return std::nullopt;
  if (!place) place = room_.take_beyond_ceiling(size);
  if (!write_chunk(type, 0, payload, *place)) return std::nullopt;
  ++kept_chunks_;
  return Extent{place->offset, size};
}

void SegmentedFile::supersede(const Extent& older) {
  --kept_chunks_;
  if (!failed_) write_free_header(room_.give_back(older));
}

void SegmentedFile::close() {
  if (failed_) return;
  IndexRecord index;
  index.events_evicted = events_evicted_;
  index.kept_chunks = kept_chunks_;
  for (const Segment& segment : segments_) index.segments.push_back(segment.index);
  ByteSink payload;
  encode_index(index, payload);
  // Never at the price of a segment: the index names them all.
  write_chunk(ChunkType::index, 0, payload.bytes(),
              room_.take_beyond_ceiling(kChunkHeaderBytes + payload.size()));
}

}  // namespace deepprof
