// Payloads of the chunks that are not row blocks: plain records in, bytes out, and back. Each
// decoder returns false for a malformed payload and bounds what it allocates by the payload's size
// or by a limit named here. docs/trace-format.md lists the bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libdeepprof/event/event.h"
#include "libdeepprof/event/loss.h"
#include "libdeepprof/trace/bytes.h"
#include "libdeepprof/trace/stream.h"

namespace deepprof {

// names: ids and their texts.
struct NameRecord {
  NameId id = 0;
  std::string_view text;
};
inline constexpr size_t kMaxNamesBytes = size_t{64} << 20;  // of text in one chunk
void encode_names(std::span<const NameRecord> names, StreamPacker& packer, ByteSink& out);
// The texts point into `storage`.
bool decode_names(ByteSpan payload, StreamUnpacker& unpacker, Bytes& storage,
                  std::vector<NameRecord>& names);

// threads: host threads that events name by index.
struct ThreadRecord {
  uint32_t index = 0;
  uint32_t pid = 0;
  uint64_t tid = 0;
  std::string name;
};
inline constexpr uint32_t kMaxThreads = 1u << 20;
void encode_threads(std::span<const ThreadRecord> threads, ByteSink& out);
bool decode_threads(ByteSpan payload, std::vector<ThreadRecord>& threads);

// devices
struct DeviceRecord {
  uint32_t id = 0;
  std::string name;
  uint32_t sm_count = 0;
  uint64_t memory_bytes = 0;
  uint32_t compute_major = 0, compute_minor = 0;
  uint32_t max_threads_per_sm = 0;
};
void encode_devices(std::span<const DeviceRecord> devices, ByteSink& out);
bool decode_devices(ByteSpan payload, std::vector<DeviceRecord>& devices);

// facts
using Facts = std::vector<std::pair<std::string, std::string>>;
void encode_facts(const Facts& facts, ByteSink& out);
bool decode_facts(ByteSpan payload, Facts& facts);

// losses: fixed size, so that a newer copy fits where an older one lay. Rows that this version does
// not know are dropped when read.
void encode_losses(const LossCounts& losses, ByteSink& out);
bool decode_losses(ByteSpan payload, LossCounts& losses);

// segment: what is true as a segment of raw events begins.
struct SegmentRecord {
  uint32_t number = 0;        // from 1
  uint32_t oldest_kept = 0;   // raw chunks of segments before this one have been let go
  uint64_t rows_evicted = 0;  // events let go so far
};
inline constexpr size_t kSegmentPayloadBytes = 16;
void encode_segment(const SegmentRecord& segment, ByteSink& out);
bool decode_segment(ByteSpan payload, SegmentRecord& segment);

// details: distinct Details, numbered within their segment.
inline constexpr size_t kMaxDetailsPerSegment = 64 * 1024;
void encode_details(uint32_t first_index, std::span<const Detail> details, StreamPacker& packer,
                    ByteSink& out);
bool decode_details(ByteSpan payload, StreamUnpacker& unpacker, uint32_t& first_index,
                    std::vector<Detail>& details);

// samples
struct SampleRecord {
  int64_t time_ns = 0;
  NameId metric = 0;
  uint32_t device = 0;
  double value = 0;
};
inline constexpr size_t kBlockSamples = 4096;      // what the writer fills a block with
inline constexpr size_t kMaxBlockSamples = 65536;  // what a reader accepts
void encode_samples(std::span<const SampleRecord> samples, StreamPacker& packer, ByteSink& out);
bool decode_samples(ByteSpan payload, StreamUnpacker& unpacker, std::vector<SampleRecord>& samples);

// blob
void encode_blob(std::string_view key, std::string_view bytes, StreamPacker& packer, ByteSink& out);
bool decode_blob(ByteSpan payload, StreamUnpacker& unpacker, std::string& key, std::string& bytes);
inline constexpr size_t kMaxBlobBytes = size_t{256} << 20;

// index: what a whole file holds, to tell what is missing of a damaged one.
struct IndexSegment {
  uint32_t number = 0;
  // details, events, samples and ranges; the segment chunk itself not counted
  uint64_t chunks = 0;
  uint64_t events = 0;
  int64_t first_ns = INT64_MAX;                        // least start of an event
  int64_t last_ns = INT64_MIN;                         // greatest end
  std::vector<std::pair<uint64_t, uint64_t>> extents;  // where it lies: offset, size

  friend bool operator==(const IndexSegment&, const IndexSegment&) = default;
};
struct IndexRecord {
  uint64_t events_evicted = 0;
  uint64_t kept_chunks = 0;  // names, threads, devices, facts, losses and blobs in force
  std::vector<IndexSegment> segments;
};
void encode_index(const IndexRecord& index, ByteSink& out);
bool decode_index(ByteSpan payload, IndexRecord& index);

}  // namespace deepprof
