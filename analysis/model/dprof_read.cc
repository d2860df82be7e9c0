#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <unordered_map>

#include "analysis/model/dprof.h"
#include "analysis/model/lost_blocks.h"
#include "analysis/model/overruns.h"
#include "analysis/model/spells.h"
#include "analysis/model/tail.h"
#include "libdeepprof/event/allocation_events.h"
#include "libdeepprof/event/kind.h"
#include "libdeepprof/text.h"
#include "libdeepprof/trace/allocation_block.h"
#include "libdeepprof/trace/chunk_scan.h"
#include "libdeepprof/trace/let_go.h"
#include "libdeepprof/trace/payloads.h"
#include "libdeepprof/trace/row_block.h"

namespace deepprof {
namespace {

struct DetailHash {
  size_t operator()(const Detail& detail) const {
    return std::hash<std::string_view>()({reinterpret_cast<const char*>(&detail), sizeof detail});
  }
};

class DprofReader {
 public:
  DprofReader(const ByteSource& source, const std::string& name, const DprofPart& part)
      : source_(source), name_(name), part_(part) {}
  Result<LoadedDprof> read();

 private:
  void read_kept(const FoundChunk& chunk);
  void read_raw(const FoundChunk& chunk);
  uint64_t first_wanted(const ChunkScan& scan) const;
  bool decode_kept(ChunkType type);
  bool decode_raw(const FoundChunk& chunk);
  bool add_details();
  bool add_samples();
  bool add_allocations();
  bool add_ranges();
  bool add_events();
  void add_event(const Row& row, const Token& token, NameId name, uint32_t detail);
  void start_segment(uint32_t number);
  void apply_facts();
  void add_holes();
  void note_lost_blocks(const ChunkScan& scan);
  int64_t recorded_to_ns() const;
  void describe_damage(const ChunkScan& scan);
  void compare_with_index();
  void damaged(const FoundChunk& chunk, const char* what);
  NameId name_of(NameId id);
  uint32_t detail_of(uint32_t number);

  const ByteSource& source_;
  const std::string& name_;
  const DprofPart part_;
  LoadedDprof loaded_;
  Trace& trace_ = loaded_.trace;

  StreamUnpacker unpacker_;
  RowBlockDecoder rows_;
  Bytes payload_;
  std::unordered_map<NameId, NameId> names_;  // ids in the file to ids in the trace
  std::unordered_map<Detail, uint32_t, DetailHash> known_details_;
  // numbers in the segment (from 1) to indices in the trace
  std::vector<uint32_t> segment_details_;
  uint32_t segment_ = 0;
  SegmentRecord newest_segment_;
  LetGo let_go_;
  Facts facts_;
  LossCounts stored_losses_;
  std::optional<IndexRecord> index_;
  LostBlocks lost_blocks_;
  uint64_t events_ = 0, unknown_chunks_ = 0, unnamed_ = 0, undetailed_ = 0;
};

bool is_raw(ChunkType type) {
  return type == ChunkType::details || type == ChunkType::events || type == ChunkType::samples ||
         type == ChunkType::ranges || type == ChunkType::allocations;
}

void DprofReader::damaged(const FoundChunk& chunk, const char* what) {
  ++trace_.losses[Loss::file_damaged];
  loaded_.notes.push_back(format_text(
      "%s: byte %llu: the chunk of %s (%u bytes) %s and was left out", name_.c_str(),
      static_cast<unsigned long long>(chunk.offset),
      std::string(chunk_type_name(chunk.header.type)).c_str(), chunk.header.length, what));
}

NameId DprofReader::name_of(NameId id) {
  if (id == 0) return 0;
  const auto found = names_.find(id);
  if (found != names_.end()) return found->second;
  ++unnamed_;
  const NameId stand_in = trace_.names.intern(format_text("name %u (lost)", id));
  names_.emplace(id, stand_in);
  return stand_in;
}

uint32_t DprofReader::detail_of(uint32_t number) {
  if (number == 0) return 0;
  if (number <= segment_details_.size()) return segment_details_[number - 1];
  ++undetailed_;
  return 0;
}

void DprofReader::start_segment(uint32_t number) {
  segment_ = number;
  segment_details_.clear();
}

bool DprofReader::decode_kept(ChunkType type) {
  switch (type) {
    case ChunkType::segment: {
      SegmentRecord segment;
      if (!decode_segment(payload_, segment)) return false;
      if (segment.number > newest_segment_.number) newest_segment_ = segment;
      return true;
    }
    case ChunkType::names: {
      std::vector<NameRecord> names;
      Bytes storage;
      if (!decode_names(payload_, unpacker_, storage, names)) return false;
      for (const NameRecord& name : names) names_[name.id] = trace_.names.intern(name.text);
      return true;
    }
    case ChunkType::threads: {
      std::vector<ThreadRecord> threads;
      if (!decode_threads(payload_, threads)) return false;
      for (ThreadRecord& thread : threads) {
        if (thread.index >= trace_.threads.size()) trace_.threads.resize(thread.index + size_t{1});
        trace_.threads[thread.index] = {thread.pid, thread.tid, std::move(thread.name)};
      }
      return true;
    }
    case ChunkType::devices: {
      std::vector<DeviceRecord> devices;
      if (!decode_devices(payload_, devices)) return false;
      for (DeviceRecord& d : devices) {
        std::erase_if(trace_.devices, [&](const Device& other) { return other.id == d.id; });
        trace_.devices.push_back({d.id, std::move(d.name), d.sm_count, d.memory_bytes,
                                  d.compute_major, d.compute_minor, d.max_threads_per_sm});
      }
      return true;
    }
    case ChunkType::facts: return decode_facts(payload_, facts_);
    case ChunkType::losses: return decode_losses(payload_, stored_losses_);
    case ChunkType::blob: {
      std::string key, bytes;
      if (!decode_blob(payload_, unpacker_, key, bytes)) return false;
      trace_.blobs[key] = std::move(bytes);
      return true;
    }
    case ChunkType::let_go: return let_go_.decode(payload_);
    case ChunkType::index: {
      IndexRecord index;
      if (!decode_index(payload_, index)) return false;
      index_ = std::move(index);
      loaded_.complete = true;
      return true;
    }
    default: ++unknown_chunks_; return true;
  }
}

bool DprofReader::add_details() {
  uint32_t first = 0;
  std::vector<Detail> details;
  if (!decode_details(payload_, unpacker_, first, details)) return false;
  if (first == 0 || first + details.size() > kMaxDetailsPerSegment + 1) return false;
  // Numbers below `first` that were never seen belong to a damaged chunk: they stand for "not
  // known".
  if (segment_details_.size() < first - 1 + details.size()) {
    segment_details_.resize(first - 1 + details.size(), 0);
  }
  for (size_t i = 0; i < details.size(); ++i) {
    const auto next = static_cast<uint32_t>(trace_.details.size());
    const auto [known, is_new] = known_details_.emplace(details[i], next);
    if (is_new) trace_.details.push_back(details[i]);
    segment_details_[first - 1 + i] = known->second;
  }
  return true;
}

bool DprofReader::add_samples() {
  std::vector<SampleRecord> samples;
  if (!decode_samples(payload_, unpacker_, samples)) return false;
  for (const SampleRecord& sample : samples) {
    trace_.samples.push_back({sample.time_ns, sample.value, name_of(sample.metric), sample.device});
  }
  return true;
}

bool DprofReader::add_allocations() {
  std::vector<Allocation> steps;
  if (!decode_allocations(payload_, unpacker_, steps)) return false;
  const bool possible = std::all_of(steps.begin(), steps.end(), [](const Allocation& step) {
    return step.bytes <= kMostAllocation_bytes && step.in_use_bytes <= kMostInUse_bytes;
  });
  if (!possible) return false;
  trace_.allocations.insert(trace_.allocations.end(), steps.begin(), steps.end());
  events_ += static_cast<uint64_t>(std::count_if(steps.begin(), steps.end(), is_event));
  return true;
}

bool DprofReader::add_ranges() {
  if (!rows_.decode(payload_)) return false;
  std::vector<NameId> names;
  for (const Token& token : rows_.tokens()) names.push_back(name_of(token.name));
  for (const Row& row : rows_.rows()) {
    const Token& token = rows_.tokens()[row.token];
    const auto source = static_cast<RangeSource>(token.kind);
    trace_.ranges.push_back({row.start_ns, row.duration_ns, names[row.token], token.track,
                             source <= RangeSource::step ? source : RangeSource::annotation});
  }
  return true;
}

bool DprofReader::add_events() {
  if (!rows_.decode(payload_)) return false;
  std::vector<NameId> names;
  std::vector<uint32_t> details;
  for (const Token& token : rows_.tokens()) {
    names.push_back(name_of(token.name));
    details.push_back(detail_of(token.detail));
  }
  for (const Row& row : rows_.rows()) {
    add_event(row, rows_.tokens()[row.token], names[row.token], details[row.token]);
  }
  events_ += rows_.rows().size();
  return true;
}

void DprofReader::add_event(const Row& row, const Token& token, NameId name, uint32_t detail) {
  const auto kind = static_cast<Kind>(token.kind);
  switch (kind) {
    case Kind::kernel:
    case Kind::memcpy:
    case Kind::memset:
    case Kind::graph:
      trace_.ops.push_back({row.start_ns, row.duration_ns, row.correlation, name, token.track,
                            detail, kNone, row.graph_node, 0, token.device, kind});
      break;
    case Kind::api_call:
      trace_.calls.push_back(
          {row.start_ns, row.duration_ns, row.correlation, name, token.track, kNone, detail, kind});
      break;
    case Kind::sync:
      // An Event has one track, a wait's is its stream; write_trace() puts the thread here.
      trace_.calls.push_back({row.start_ns, row.duration_ns, row.correlation, name,
                              row.graph_node - 1, token.track, detail, kind});
      break;
    case Kind::overhead: trace_.overheads.push_back({row.start_ns, row.duration_ns, name}); break;
    default: ++trace_.losses[Loss::unknown_record]; break;
  }
}

bool DprofReader::decode_raw(const FoundChunk& chunk) {
  if (chunk.header.segment != segment_) start_segment(chunk.header.segment);
  switch (chunk.header.type) {
    case ChunkType::details: return add_details();
    case ChunkType::samples: return add_samples();
    case ChunkType::ranges: return add_ranges();
    case ChunkType::allocations: return add_allocations();
    default: return add_events();
  }
}

void DprofReader::read_kept(const FoundChunk& chunk) {
  if (chunk.header.version != 1) {
    ++unknown_chunks_;
  } else if (!read_payload(source_, chunk, payload_)) {
    damaged(chunk, "fails its checksum");
  } else if (!decode_kept(chunk.header.type)) {
    damaged(chunk, "is malformed");
  }
}

void DprofReader::read_raw(const FoundChunk& chunk) {
  // Left behind in room that was let go: brought to light by damage, or the job was killed
  // meanwhile.
  const uint32_t segment = chunk.header.segment;
  if (segment < newest_segment_.oldest_kept || let_go_.holds(segment)) return;
  const bool events = chunk.header.type == ChunkType::events;
  if (events) lost_blocks_.begin_block(chunk.header.sequence, trace_);
  const char* what = nullptr;
  if (chunk.header.version != 1) ++unknown_chunks_;
  else if (!read_payload(source_, chunk, payload_)) what = "fails its checksum";
  else if (!decode_raw(chunk)) what = "is malformed";
  if (what == nullptr) return;
  damaged(chunk, what);
  if (events) lost_blocks_.lost(chunk.header.sequence);
}

// Sequence of the first chunk of events that is wanted.
uint64_t DprofReader::first_wanted(const ChunkScan& scan) const {
  uint64_t bytes = 0, first = UINT64_MAX;
  for (auto chunk = scan.chunks.rbegin(); chunk != scan.chunks.rend() && bytes < part_.newest_bytes;
       ++chunk) {
    if (!is_raw(chunk->header.type)) continue;
    bytes += chunk->header.length;
    first = chunk->header.sequence;
  }
  return first;
}

void DprofReader::apply_facts() {
  const auto number = [](const std::string& text, auto& value) {
    std::from_chars(text.data(), text.data() + text.size(), value);
  };
  ProcessInfo& process = trace_.process;
  for (auto& [key, value] : facts_) {
    if (key == "host") process.host = value;
    else if (key == "pid") number(value, process.pid);
    else if (key == "command_line") process.command_line = value;
    else if (key == "rank") number(value, process.rank);
    else if (key == "world_size") number(value, process.world_size);
    else if (key == "source") process.source = value;
    else if (key == "clock_base_ns") number(value, trace_.clock_base_ns);
    else process.facts.emplace_back(std::move(key), std::move(value));
  }
}

static_assert(LaneSpan::kHost == kHostDevice);

void DprofReader::add_holes() {
  for (const LetGoRun& run : let_go_.runs()) {
    for (const LaneSpan& span : run.lanes.spans()) {
      trace_.holes.push_back({span.first_ns, span.last_ns, span.lane});
    }
  }
}

// Bytes that belong to no chunk: if a block was there, it came behind the one in front of it in the
// file. Other chunks say less: a newer copy of theirs takes room that an older one has freed.
void DprofReader::note_lost_blocks(const ChunkScan& scan) {
  if (scan.damage.empty()) return;
  std::map<uint64_t, uint64_t> blocks;  // sequence by offset
  for (const FoundChunk& chunk : scan.chunks)
    if (chunk.header.type == ChunkType::events) blocks[chunk.offset] = chunk.header.sequence;
  for (const DamagedRange& range : scan.damage) {
    if (range.at_end) continue;
    const auto behind = blocks.upper_bound(range.offset);
    lost_blocks_.lost(behind == blocks.begin() ? 1 : std::prev(behind)->second + 1);
  }
}

// By the index; INT64_MIN where there is none.
int64_t DprofReader::recorded_to_ns() const {
  int64_t last_ns = INT64_MIN;
  if (!index_) return last_ns;
  for (const IndexSegment& segment : index_->segments) last_ns = std::max(last_ns, segment.last_ns);
  return last_ns;
}

void DprofReader::describe_damage(const ChunkScan& scan) {
  for (const DamagedRange& range : scan.damage) {
    ++trace_.losses[Loss::file_damaged];
    loaded_.notes.push_back(format_text(
        range.at_end
            ? "%s: byte %llu: expected a chunk, the file ends %llu bytes later in mid-chunk"
            : "%s: byte %llu: expected a chunk, skipped %llu damaged bytes to the next one",
        name_.c_str(), static_cast<unsigned long long>(range.offset),
        static_cast<unsigned long long>(range.size)));
  }
}

void DprofReader::compare_with_index() {
  if (!index_) {
    trace_.closed = false;
    loaded_.notes.push_back(name_ +
                            ": the recording was not closed (the job was killed, or still "
                            "runs): what was written by its last flush is here");
    return;
  }
  uint64_t promised = 0;
  for (const IndexSegment& segment : index_->segments) promised += segment.events;
  const bool whole = part_.newest_bytes == UINT64_MAX;
  if (whole && promised > events_) {
    loaded_.notes.push_back(format_text("%s: %llu of %llu events are in damaged chunks",
                                        name_.c_str(),
                                        static_cast<unsigned long long>(promised - events_),
                                        static_cast<unsigned long long>(promised)));
  }
}

Result<LoadedDprof> DprofReader::read() {
  Result<ChunkScan> scan = scan_chunks(source_, name_);
  if (!scan.ok()) return Error{scan.error()};

  // Kept chunks first: which raw chunks count, and what the ids in them mean, is told there.
  for (const FoundChunk& chunk : scan.value().chunks) {
    if (!is_raw(chunk.header.type)) read_kept(chunk);
  }
  const uint64_t first = first_wanted(scan.value());
  for (const FoundChunk& chunk : scan.value().chunks) {
    // Details are small, and the events wanted refer to them.
    if (is_raw(chunk.header.type) &&
        (chunk.header.sequence >= first || chunk.header.type == ChunkType::details))
      read_raw(chunk);
  }
  describe_damage(scan.value());
  compare_with_index();
  apply_facts();

  uint64_t& evicted = stored_losses_[Loss::segment_evicted];
  evicted = std::max(evicted, newest_segment_.rows_evicted);
  uint64_t let_go = 0;
  for (const LetGoRun& run : let_go_.runs()) let_go += run.events;
  evicted = std::max(evicted, let_go);
  add_holes();
  note_lost_blocks(scan.value());
  lost_blocks_.add_holes(recorded_to_ns(), trace_);
  for (size_t i = 0; i < kLossCount; ++i) trace_.losses.count[i] += stored_losses_.count[i];
  if (unknown_chunks_ > 0) {
    loaded_.notes.push_back(
        format_text(unknown_chunks_ == 1 ? "%s: %llu chunk of a newer kind was skipped"
                                         : "%s: %llu chunks of a newer kind were skipped",
                    name_.c_str(), static_cast<unsigned long long>(unknown_chunks_)));
  }
  if (unnamed_ > 0) {
    loaded_.notes.push_back(format_text(unnamed_ == 1
                                            ? "%s: %llu name is lost with a damaged chunk"
                                            : "%s: %llu names are lost with a damaged chunk",
                                        name_.c_str(), static_cast<unsigned long long>(unnamed_)));
  }
  trace_.finish();
  // What others recorded was judged when it was imported, or is by load_trace().
  if (trace_.process.source.starts_with("deepprof "))
    trace_.losses[Loss::bad_timestamp] += drop_overruns(trace_);
  add_spell_holes(trace_);
  find_tails(trace_);
  return std::move(loaded_);
}

}  // namespace

Result<LoadedDprof> read_dprof(const ByteSource& source, const std::string& name,
                               const DprofPart& part) {
  return DprofReader(source, name, part).read();
}

Result<LoadedDprof> read_dprof(const std::string& path, const DprofPart& part) {
  const Result<InputFile> file = InputFile::open(path);
  if (!file.ok()) return Error{file.error()};
  return read_dprof(file.value(), path, part);
}

}  // namespace deepprof
