#include "libdeepprof/trace/writer.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <vector>

#include "libdeepprof/event/allocation_events.h"
#include "libdeepprof/event/kind.h"
#include "libdeepprof/trace/allocation_block.h"
#include "libdeepprof/trace/detail_table.h"
#include "libdeepprof/trace/payloads.h"
#include "libdeepprof/trace/row_buffer.h"
#include "libdeepprof/trace/segmented_file.h"

namespace deepprof {
namespace {

// Rows of a block. The segments of a small file are small: a block must be small beside them, or
// room that was let go would lie in pieces that no block fits into.
size_t rows_of_block(uint64_t segment_limit) {
  constexpr uint64_t kFewest = 512, kBlocks = 4, kBytesPerRow = 8;  // usual rows take half of that
  return std::clamp<uint64_t>(segment_limit / kBlocks / kBytesPerRow, kFewest, kBlockRows);
}

// Of the end of a file that could not be written at once: a fifth of a second in all.
constexpr int kLastTries = 20;
constexpr unsigned kBetweenTries_us = 10'000;

// names are written at the latest when these wait
constexpr size_t kPendingNamesBytes = size_t{1} << 20;

class DprofWriter final : public TraceWriter {
 public:
  explicit DprofWriter(std::unique_ptr<SegmentedFile> file)
      : file_(std::move(file)), rows_of_block_(rows_of_block(file_->segment_limit())) {}
  ~DprofWriter() override { finish(); }

  void define_name(NameId id, std::string_view name) override;
  void define_thread(uint32_t index, uint32_t pid, uint64_t tid, std::string_view name) override {
    if (index < kMaxThreads) threads_.push_back({index, pid, tid, std::string(name)});
  }
  void define_device(uint32_t id, std::string_view name, uint32_t sm_count, uint64_t memory_bytes,
                     uint32_t compute_major, uint32_t compute_minor,
                     uint32_t max_threads_per_sm) override {
    devices_.push_back({id, std::string(name), sm_count, memory_bytes, compute_major, compute_minor,
                        max_threads_per_sm});
  }
  void set_fact(std::string_view key, std::string_view value) override;
  void set_losses(const LossCounts& losses) override { losses_ = losses; }
  void put_blob(std::string_view key, std::string_view bytes) override;

  void append(const Event& event, const Detail* detail) override;
  void append_sample(int64_t time_ns, NameId metric, uint32_t device, double value) override;
  void append_allocation(const Allocation& step) override;
  void append_range(int64_t start_ns, int64_t duration_ns, NameId name, uint32_t thread,
                    uint8_t source) override;
  void append_hole(uint32_t device, int64_t start_ns, int64_t end_ns) override {
    file_->let_go_earlier({device, start_ns, end_ns});
  }
  void keep_slowest(std::span<const SlowStretch> stretches) override {
    file_->keep_slowest(stretches);
  }

  void flush() override;
  void finish() override;

  uint64_t bytes_written() const override { return file_->bytes_written(); }
  uint64_t events_lost() const override { return lost_; }
  uint64_t events_evicted() const override { return file_->events_evicted(); }
  const std::string& error() const override { return file_->error(); }

 private:
  void note_lost(const Event& event);
  uint32_t intern_detail(const Detail& detail);
  void write_names();
  void write_rows(RowBuffer& buffer, ChunkType type);
  void write_events();
  void write_samples();
  void write_allocations();
  void write_tables();
  void tell_lost_time();
  void write_losses();
  void end_full_segment();
  template <typename Encode>
  bool replace(std::optional<Extent>& older, ChunkType type, const Encode& encode);

  std::unique_ptr<SegmentedFile> file_;
  const size_t rows_of_block_;
  StreamPacker packer_, names_packer_{kNamesLevel};
  RowBlockEncoder encoder_;
  ByteSink payload_;

  RowBuffer events_, ranges_;
  DetailTable details_;
  std::vector<SampleRecord> samples_;
  std::vector<Allocation> allocations_;

  std::vector<bool> name_defined_;
  std::vector<NameId> pending_ids_;
  std::vector<uint32_t> pending_sizes_;
  std::string pending_texts_;
  std::vector<ThreadRecord> threads_;
  std::vector<DeviceRecord> devices_;
  Facts facts_;
  bool facts_changed_ = false;
  std::optional<Extent> facts_extent_, losses_extent_;
  std::map<std::string, std::optional<Extent>, std::less<>> blob_extents_;
  LossCounts losses_, written_losses_;
  uint64_t lost_ = 0;
  LaneSpans lost_lanes_;  // when those ran of which the file does not tell yet
  bool finished_ = false;
};

void DprofWriter::define_name(NameId id, std::string_view name) {
  if (id >= name_defined_.size())
    name_defined_.resize(std::max<size_t>(id + size_t{1}, 2 * name_defined_.size()));
  if (name_defined_[id]) return;
  name_defined_[id] = true;
  pending_ids_.push_back(id);
  pending_sizes_.push_back(static_cast<uint32_t>(name.size()));
  pending_texts_ += name;
  if (pending_texts_.size() >= kPendingNamesBytes) write_names();
}

void DprofWriter::set_fact(std::string_view key, std::string_view value) {
  const auto same = std::find_if(facts_.begin(), facts_.end(),
                                 [&](const auto& fact) { return fact.first == key; });
  if (same == facts_.end()) {
    facts_.emplace_back(key, value);
  } else if (same->second != value) {
    same->second = value;
  } else {
    return;
  }
  facts_changed_ = true;
}

// The newer chunk is whole in the file before the room of the older one is given away. False: it
// could not be written.
template <typename Encode>
bool DprofWriter::replace(std::optional<Extent>& older, ChunkType type, const Encode& encode) {
  payload_.clear();
  encode(payload_);
  const std::optional<Extent> newer = file_->put_kept(type, payload_.bytes());
  if (!newer) return false;
  if (older) file_->supersede(*older);
  older = newer;
  return true;
}

void DprofWriter::put_blob(std::string_view key, std::string_view bytes) {
  if (finished_ || bytes.size() > kMaxBlobBytes) return;
  auto entry = blob_extents_.find(key);
  if (entry == blob_extents_.end()) entry = blob_extents_.emplace(key, std::nullopt).first;
  replace(entry->second, ChunkType::blob,
          [&](ByteSink& out) { encode_blob(key, bytes, packer_, out); });
}

uint32_t DprofWriter::intern_detail(const Detail& detail) {
  if (const uint32_t number = details_.intern(detail); number != 0) return number;
  write_events();  // these rows refer to the details of the segment that ends here
  file_->end_segment();
  details_.clear();
  return details_.intern(detail);
}

void DprofWriter::append(const Event& event, const Detail* detail) {
  if (file_->failed() || finished_) {
    ++lost_;
    note_lost(event);
    return;
  }
  Token token;
  token.kind = static_cast<uint8_t>(event.kind());
  token.on_device = kind_info(event.kind()).lane == Lane::device;
  token.has_graph_node = event.graph_node != 0;
  token.device = event.device;
  token.name = event.name;
  token.track = event.track;
  token.detail = detail != nullptr ? intern_detail(*detail) : 0;
  const uint32_t number = events_.intern(token);
  events_.push({event.start_ns, event.duration_ns(), event.correlation, event.graph_node, number});
  if (events_.rows().size() >= rows_of_block_) write_events();
}

void DprofWriter::append_range(int64_t start_ns, int64_t duration_ns, NameId name, uint32_t thread,
                               uint8_t source) {
  if (file_->failed() || finished_) return;
  Token token;
  token.kind = source;
  token.name = name;
  token.track = thread;
  const uint32_t number = ranges_.intern(token);
  ranges_.push({start_ns, duration_ns, 0, 0, number});
  if (ranges_.full()) write_rows(ranges_, ChunkType::ranges);
}

void DprofWriter::append_sample(int64_t time_ns, NameId metric, uint32_t device, double value) {
  if (file_->failed() || finished_) return;
  samples_.push_back({time_ns, metric, device, value});
  if (samples_.size() >= kBlockSamples) write_samples();
}

void DprofWriter::append_allocation(const Allocation& step) {
  if (file_->failed() || finished_) {
    lost_ += is_event(step) ? 1 : 0;
    return;
  }
  allocations_.push_back(step);
  if (allocations_.size() >= kBlockAllocations) write_allocations();
}

void DprofWriter::write_names() {
  if (pending_ids_.empty()) return;
  std::vector<NameRecord> names;
  size_t at = 0;
  for (size_t i = 0; i < pending_ids_.size(); ++i) {
    names.push_back(
        {pending_ids_[i], std::string_view(pending_texts_).substr(at, pending_sizes_[i])});
    at += pending_sizes_[i];
  }
  payload_.clear();
  encode_names(names, names_packer_, payload_);
  if (!file_->put_kept(ChunkType::names, payload_.bytes())) return;  // they wait for the next try
  pending_ids_.clear();
  pending_sizes_.clear();
  pending_texts_.clear();
}

void DprofWriter::note_lost(const Event& event) {
  LaneSpan span;
  if (!span.take_lane(event.kind(), event.device)) return;
  span.add_event(event.start_ns, event.duration_ns());
  if (span.first_ns <= span.last_ns) lost_lanes_.add(span);
}

// When the rows ran, by device and on the host. Of a token's rows the lane is one, so it is found
// once a token.
LaneSpans lanes_of(const RowBuffer& buffer) {
  std::vector<LaneSpan> of_token(buffer.tokens().size());
  for (const Row& row : buffer.rows()) of_token[row.token].add_event(row.start_ns, row.duration_ns);
  LaneSpans lanes;
  for (size_t i = 0; i < of_token.size(); ++i) {
    const Token& token = buffer.tokens()[i];
    if (of_token[i].first_ns > of_token[i].last_ns) continue;
    if (of_token[i].take_lane(static_cast<Kind>(token.kind), token.device)) lanes.add(of_token[i]);
  }
  return lanes;
}

void DprofWriter::write_rows(RowBuffer& buffer, ChunkType type) {
  if (buffer.empty()) return;
  write_names();
  payload_.clear();
  encoder_.encode(buffer.rows(), buffer.tokens(), payload_);
  const RowBlockHead head = peek_row_block(payload_.bytes());
  const bool are_events = type == ChunkType::events;
  const uint64_t events = are_events ? head.rows : 0;
  const LaneSpans lanes = are_events ? lanes_of(buffer) : LaneSpans();
  file_->put_raw(type, payload_.bytes(), {events, head.first_ns, head.last_ns, lanes});
  if (file_->failed()) {
    lost_ += events;
    lost_lanes_.add(lanes);
  }
  buffer.clear();
}

void DprofWriter::write_events() {
  if (!details_.pending().empty()) {
    payload_.clear();
    encode_details(details_.first_pending(), details_.pending(), packer_, payload_);
    file_->put_raw(ChunkType::details, payload_.bytes());
    details_.mark_written();
  }
  write_rows(events_, ChunkType::events);
  if (file_->failed()) {  // later rows must not refer to details whose chunk did not make it
    file_->end_segment();
    details_.clear();
  }
  end_full_segment();
}

void DprofWriter::write_samples() {
  if (samples_.empty()) return;
  write_names();
  payload_.clear();
  encode_samples(samples_, packer_, payload_);
  file_->put_raw(ChunkType::samples, payload_.bytes());
  samples_.clear();
}

void DprofWriter::write_allocations() {
  if (allocations_.empty()) return;
  payload_.clear();
  encode_allocations(allocations_, packer_, payload_);
  RawContent content;
  for (const Allocation& step : allocations_) {
    content.events += is_event(step) ? 1 : 0;
    content.first_ns = std::min(content.first_ns, step.time_ns);
    content.last_ns = std::max(content.last_ns, step.time_ns);
  }
  file_->put_raw(ChunkType::allocations, payload_.bytes(), content);
  if (file_->failed()) lost_ += content.events;
  allocations_.clear();
}

// Rows that wait refer to the open segment's details, so a segment ends only between blocks.
void DprofWriter::end_full_segment() {
  if (!events_.empty() || !file_->segment_is_full()) return;
  file_->end_segment();
  details_.clear();
}

void DprofWriter::write_tables() {
  if (!threads_.empty()) {
    payload_.clear();
    encode_threads(threads_, payload_);
    if (file_->put_kept(ChunkType::threads, payload_.bytes())) threads_.clear();
  }
  if (!devices_.empty()) {
    payload_.clear();
    encode_devices(devices_, payload_);
    if (file_->put_kept(ChunkType::devices, payload_.bytes())) devices_.clear();
  }
  if (facts_changed_) {
    facts_changed_ = !replace(facts_extent_, ChunkType::facts,
                              [&](ByteSink& out) { encode_facts(facts_, out); });
  }
}

// What a disk has no room for is missing in the file, which is not to look as if the GPU had idled.
void DprofWriter::tell_lost_time() {
  if (file_->failed()) return;
  for (const LaneSpan& span : lost_lanes_.spans()) file_->let_go_earlier(span);
  lost_lanes_ = {};
  file_->tell_let_go();
}

void DprofWriter::write_losses() {
  tell_lost_time();
  LossCounts losses = losses_;
  // The caller may or may not have added what it learnt from us.
  const auto at_least = [&](Loss loss, uint64_t count) {
    losses[loss] = std::max(losses[loss], count);
  };
  at_least(Loss::write_failed, lost_);
  at_least(Loss::segment_evicted, file_->events_evicted());
  if (losses.count == written_losses_.count) return;
  if (replace(losses_extent_, ChunkType::losses,
              [&](ByteSink& out) { encode_losses(losses, out); }))
    written_losses_ = losses;
}

void DprofWriter::flush() {
  if (finished_) return;
  file_->try_again();
  file_->begin_file();
  write_names();
  write_tables();
  write_events();
  write_rows(ranges_, ChunkType::ranges);
  write_samples();
  write_allocations();
  end_full_segment();
  write_losses();
}

void DprofWriter::finish() {
  if (finished_) return;
  flush();
  if (!file_->failed()) file_->close();
  // A disk that is full now may have room in a moment. What failed was perhaps large; the losses
  // are small, and they say what is missing.
  for (int tries = 0; file_->failed() && tries < kLastTries; ++tries) {
    ::usleep(kBetweenTries_us);
    file_->try_again();
    write_losses();
    if (!file_->failed()) file_->close();
  }
  finished_ = true;
}

}  // namespace

Result<std::unique_ptr<TraceWriter>> TraceWriter::create(const TraceWriterOptions& options) {
  auto file = SegmentedFile::create(options.path, options.max_file_bytes);
  if (!file.ok()) return Error{file.error()};
  return std::unique_ptr<TraceWriter>(std::make_unique<DprofWriter>(std::move(file).value()));
}

}  // namespace deepprof
