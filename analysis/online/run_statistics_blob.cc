#include "analysis/online/run_statistics_blob.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "analysis/pattern/pattern.h"
#include "libdeepprof/text.h"
#include "libdeepprof/trace/bytes.h"

namespace deepprof {
namespace {

constexpr uint64_t kVersion = 4;

// Writing and reading walk the same fields in the same order: one function for each type, over
// either.
class Writer {
 public:
  static constexpr bool kReads = false;
  template <typename T>
  void number(const T& value) {
    if constexpr (std::is_signed_v<T>) {
      sink_.put_zigzag(value);
    } else {
      sink_.put_varint(value);
    }
  }
  template <typename T>
  void size(const std::vector<T>& items, size_t, size_t) {
    sink_.put_varint(items.size());
  }
  void text(std::string_view text) { sink_.put_text(text); }
  std::string take() { return {sink_.bytes().begin(), sink_.bytes().end()}; }

 private:
  ByteSink sink_;
};

class Reader {
 public:
  static constexpr bool kReads = true;
  explicit Reader(std::string_view bytes)
      : reader_({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}) {}

  template <typename T>
  void number(T& value) {
    if constexpr (std::is_signed_v<T>) {
      value = reader_.take_zigzag();
    } else {
      value = static_cast<T>(reader_.take_varint(std::numeric_limits<T>::max()));
    }
  }
  // An item takes `least_bytes` or more: a size that the rest cannot hold is malformed.
  template <typename T>
  void size(std::vector<T>& items, size_t most, size_t least_bytes) {
    const uint64_t count = reader_.take_varint(std::min(most, reader_.remaining() / least_bytes));
    if (!reader_.failed()) items.resize(static_cast<size_t>(count));
  }
  std::string_view text() { return reader_.take_text(); }
  void text(std::string& text) { text = reader_.take_text(); }
  bool failed() const { return reader_.failed(); }
  void fail() { reader_.fail(); }
  bool ended_well() const { return !reader_.failed() && reader_.remaining() == 0; }

 private:
  ByteReader reader_;
};

template <typename Codec, typename Stats>
void walk_duration(Codec& codec, Stats& stats) {
  codec.number(stats.sum_ns);
  codec.number(stats.min_ns);
  codec.number(stats.max_ns);
  for (auto& octave : stats.octaves) codec.number(octave);
}

void walk_durations(Writer& codec, const DurationTable& durations, size_t i) {
  const DurationStats stats = durations[i];
  walk_duration(codec, stats);
}

void walk_durations(Reader& codec, DurationTable& durations, size_t i) {
  DurationStats stats;
  walk_duration(codec, stats);
  durations.set(i, stats);
}

void walk_histogram(Writer& codec, const DurationHistogram& histogram) {
  uint32_t used = 0;
  for (uint32_t b = 0; b < DurationHistogram::kBuckets; ++b) used += histogram.bucket_count(b) > 0;
  codec.number(used);
  for (uint32_t b = 0; b < DurationHistogram::kBuckets; ++b) {
    if (histogram.bucket_count(b) == 0) continue;
    codec.number(b);
    codec.number(histogram.bucket_count(b));
  }
  codec.number(histogram.sum_ns());
  codec.number(histogram.min_ns());
  codec.number(histogram.max_ns());
}

void walk_histogram(Reader& codec, DurationHistogram& histogram) {
  uint32_t used = 0;
  codec.number(used);
  if (used > DurationHistogram::kBuckets) return codec.fail();
  for (uint32_t i = 0; i < used; ++i) {
    uint32_t bucket = 0, count = 0;
    codec.number(bucket);
    codec.number(count);
    if (bucket >= DurationHistogram::kBuckets) return codec.fail();
    histogram.restore(bucket, count);
  }
  int64_t sum_ns = 0, min_ns = 0, max_ns = 0;
  codec.number(sum_ns);
  codec.number(min_ns);
  codec.number(max_ns);
  if (sum_ns < 0 || min_ns < 0 || min_ns > max_ns) return codec.fail();
  if (used > 0) histogram.restore_totals(sum_ns, min_ns, max_ns);
}

template <typename Codec, typename Stats>
void walk_iteration(Codec& codec, Stats& stats) {
  codec.size(stats.ops, Pattern::kMaxOps, 1 + 3 + DurationStats::kOctaves);
  if constexpr (Codec::kReads) stats.durations.resize(stats.ops.size());
  for (size_t i = 0; i < stats.ops.size(); ++i) {
    codec.number(stats.ops[i]);
    walk_durations(codec, stats.durations, i);
  }
  codec.number(stats.count);
  codec.number(stats.worth_ppm);
  codec.number(stats.broken);
  walk_histogram(codec, stats.time);
  codec.number(stats.slow_over_ns);
  codec.number(stats.slow_count);
  codec.size(stats.slow, IterationStats::kMaxSlow, 4);
  for (auto& slow : stats.slow) {
    codec.number(slow.number);
    codec.number(slow.start_ns);
    codec.number(slow.duration_ns);
    codec.number(slow.first_correlation);
  }
}

void walk_verdict(Writer& codec, Verdict verdict) { codec.number(static_cast<uint32_t>(verdict)); }

void walk_verdict(Reader& codec, Verdict& verdict) {
  uint32_t number = 0;
  codec.number(number);
  if (number > static_cast<uint32_t>(Verdict::iteration)) return codec.fail();
  verdict = static_cast<Verdict>(number);
}

template <typename Codec, typename Stats>
void walk(Codec& codec, Stats& stats) {
  codec.number(stats.device);
  codec.number(stats.ops);
  codec.number(stats.skipped_ops);
  codec.number(stats.explained_ops);
  codec.number(stats.first_start_ns);
  codec.number(stats.last_end_ns);
  codec.number(stats.busy_ns);
  codec.number(stats.minings);
  walk_verdict(codec, stats.verdict);
  codec.number(stats.confidence_ppm);
  codec.text(stats.decided_by);
  codec.number(stats.counted);
  codec.size(stats.iterations, 2 * Pattern::kMaxIterations, 10);
  for (auto& iteration : stats.iterations) walk_iteration(codec, iteration);
  walk_iteration(codec, stats.varying);
  codec.size(stats.unexplained, RunStatistics::kMaxNames, 5);
  for (auto& name : stats.unexplained) {
    codec.number(name.name);
    codec.number(name.count);
    codec.number(name.sum_ns);
    codec.number(name.min_ns);
    codec.number(name.max_ns);
  }
  codec.number(stats.slice_ops);
  codec.size(stats.slices, RunStatistics::kMaxSlices, 5);
  for (auto& slice : stats.slices) {
    codec.number(slice.start_ns);
    codec.number(slice.ops);
    codec.number(slice.explained_ops);
    codec.size(slice.kinds, 2 * Pattern::kMaxIterations + 1, 3);
    for (auto& kind : slice.kinds) {
      codec.number(kind.kind);
      codec.number(kind.iterations);
      codec.number(kind.time_ns);
    }
  }
}

}  // namespace

std::string run_statistics_key(uint16_t device) {
  return std::string(kRunStatisticsKey) + format_text("%u", device);
}

std::string encode_run_statistics(const RunStatistics& statistics,
                                  const std::vector<std::string>& names) {
  Writer writer;
  writer.number(kVersion);
  walk(writer, statistics);
  const std::vector<NameStats> used = statistics.by_name();
  writer.size(used, used.size(), 0);
  for (const NameStats& name : used) {
    writer.number(name.name);
    writer.text(name.name < names.size() ? std::string_view(names[name.name]) : "?");
  }
  return writer.take();
}

std::optional<StoredRun> decode_run_statistics(std::string_view bytes) {
  Reader reader(bytes);
  uint64_t version = 0;
  reader.number(version);
  if (version != kVersion) return std::nullopt;
  StoredRun run;
  walk(reader, run.statistics);
  uint64_t names = 0;
  reader.number(names);
  for (uint64_t i = 0; i < names && !reader.failed(); ++i) {
    NameId id = 0;
    reader.number(id);
    run.names[id] = reader.text();
  }
  const bool possible =
      run.statistics.ops == 0 || (run.statistics.first_start_ns >= 0 &&
                                  run.statistics.first_start_ns <= run.statistics.last_end_ns);
  if (!reader.ended_well() || !possible) return std::nullopt;
  return run;
}

}  // namespace deepprof
