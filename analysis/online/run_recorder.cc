#include "analysis/online/run_recorder.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

namespace deepprof {

void RunRecorder::set_pattern(const Pattern& pattern) {
  auto& kinds = statistics_.iterations;
  for (auto i = static_cast<uint32_t>(kinds.size()) - first_kind_; i < pattern.size(); ++i) {
    IterationStats& added = kinds.emplace_back();
    added.ops.assign(pattern.ops(i).begin(), pattern.ops(i).end());
    added.durations.resize(pattern.length(i));
    const size_t room = pattern.length(i) + OpColumns::kReadBehind;
    row_.durations_ns.resize(std::max(row_.durations_ns.size(), room));
  }
}

void RunRecorder::start_anew(const Pattern& pattern) {
  end_row();
  current_ = {};
  first_kind_ = static_cast<uint32_t>(statistics_.iterations.size());
  set_pattern(pattern);
}

void RunRecorder::revalue(double iterations) {
  for (size_t i = first_kind_; i < statistics_.iterations.size(); ++i)
    statistics_.iterations[i].set_worth(statistics_.iterations[i].worth() * iterations);
}

void RunRecorder::look_at(std::span<const Event> ops) {
  account_block();
  ops_ = ops;
  columns_.read(ops);
  foreign_.resize(std::max(foreign_.size(), ops.size() + 1));
  statistics_.busy_ns += columns_.busy_ns();
  if (!ops.empty()) open_slice(ops.front());
}

void RunRecorder::time_on_busiest_stream(std::span<const Event> ops) {
  std::unordered_map<uint32_t, size_t> count;
  for (auto run = ops.begin(); run != ops.end();) {  // mostly many in a row are on one stream
    const auto next = std::find_if(
        run, ops.end(), [track = run->track](const Event& op) { return op.track != track; });
    count[run->track] += static_cast<size_t>(next - run);
    run = next;
  }
  const auto most = std::max_element(count.begin(), count.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second < b.second : a.first > b.first;
  });
  if (most != count.end()) main_stream_ = most->first;
}

void RunRecorder::finish() {
  end_iteration(kNoTime);
  account_block();
}

void RunRecorder::turns_into(uint32_t iteration) {
  const uint32_t kind = first_kind_ + iteration;
  if (row_.kind == current_.iteration) row_.kind = kind;
  current_.iteration = kind;
}

void RunRecorder::matched(size_t first, size_t count, PatternPlace place) {
  block_.ops += count;
  block_.explained += count;
  if (columns_.all_short()) {
    continue_row(place, columns_.durations_ns() + first, count);
  } else {
    DurationTable& durations = statistics_.iterations[first_kind_ + place.iteration].durations;
    end_row();
    for (size_t i = 0; i < count; ++i)
      durations.add(place.position + i, ops_[first + i].duration_ns());
  }
  for (size_t i = first; i < first + count && !current_.on_main_stream; ++i) {
    if (ops_[i].track != main_stream_) continue;
    current_.on_main_stream = true;
    current_.start_ns = ops_[i].start_ns;
  }
  current_.matched += static_cast<uint32_t>(count);
  current_.in_a_row = 0;
}

// How many ops are missing and how many have come, no branch can foresee: one missing and up to
// kAtOnce that came are the usual case, for which there is none.
void RunRecorder::continue_row(PatternPlace place, const int32_t* durations_ns, size_t count) {
  constexpr uint32_t kMostMissing = 64;  // in a row: what it costs stays in proportion
  constexpr size_t kAtOnce = OpColumns::kReadBehind;
  const uint32_t kind = first_kind_ + place.iteration;
  const bool behind = place.position >= row_.last && place.position - row_.last <= kMostMissing;
  if (kind != row_.kind || !behind || row_.first == row_.last) {
    end_row();
    row_.kind = kind;
    row_.first = row_.last = place.position;
  }
  row_.durations_ns[row_.last] = DurationTable::kMissing;
  for (uint32_t unseen = row_.last + 1; unseen < place.position; ++unseen)
    row_.durations_ns[unseen] = DurationTable::kMissing;
  int32_t* row = &row_.durations_ns[place.position];
  for (size_t done = 0; done < count; done += kAtOnce)
    std::memcpy(row + done, durations_ns + done, kAtOnce * sizeof *row);
  row_.last = place.position + static_cast<uint32_t>(count);
}

void RunRecorder::end_row() {
  if (row_.first == row_.last) return;
  const auto durations_ns =
      std::span(row_.durations_ns).subspan(row_.first, row_.last - row_.first);
  statistics_.iterations[row_.kind].durations.add(row_.first, durations_ns);
  row_.last = row_.first;
}

void RunRecorder::unexplained(size_t first, size_t count) {
  block_.ops += count;
  foreign_[foreign_count_] = static_cast<uint32_t>(first);
  foreign_count_ += count > 0;
  for (size_t i = 1; i < count; ++i) foreign_[foreign_count_++] = static_cast<uint32_t>(first + i);
  current_.unexplained += static_cast<uint32_t>(count);
  current_.in_a_row += static_cast<uint32_t>(count);
  current_.longest_row = std::max(current_.longest_row, current_.in_a_row);
  if (!columns_.all_short()) count_foreign();
}

// The ops themselves may be gone unless it was called at once; the columns stay.
void RunRecorder::count_foreign() {
  const bool all_short = columns_.all_short();
  for (const uint32_t op : std::span(foreign_).first(foreign_count_))
    add_by_name(columns_.names()[op],
                all_short ? columns_.durations_ns()[op] : ops_[op].duration_ns());
  foreign_count_ = 0;
}

void RunRecorder::count_by_name(size_t first, size_t count, bool explained) {
  block_.ops += count;
  if (explained) block_.explained += count;
  for (const Event& op : ops_.subspan(first, count)) add_by_name(op.name, op.duration_ns());
}

void RunRecorder::add_by_name(NameId name, int64_t duration_ns) {
  NameStats& stats = unexplained_name(name);
  ++stats.count;
  stats.sum_ns += duration_ns;
  stats.min_ns = std::min(stats.min_ns, duration_ns);
  stats.max_ns = std::max(stats.max_ns, duration_ns);
}

int64_t RunRecorder::start_on_main_stream(std::span<const Event> ops) const {
  const auto first = std::find_if(ops.begin(), ops.end(),
                                  [&](const Event& op) { return op.track == main_stream_; });
  return first != ops.end() ? first->start_ns : ops.front().start_ns;
}

void RunRecorder::count_mined(std::span<const Event> ops, std::span<const OpRange> iterations) {
  end_iteration(kNoTime);
  look_at(ops);
  IterationStats& stats = statistics_.varying;
  size_t done = 0;
  for (size_t i = 0; i < iterations.size(); ++i) {
    const OpRange& tile = iterations[i];
    account_block();
    open_slice(ops[tile.first]);
    count_by_name(done, tile.first - done, false);
    count_by_name(tile.first, tile.last - tile.first, true);
    done = tile.last;
    const bool next_is_known =
        done < ops.size() && (i + 1 == iterations.size() || iterations[i + 1].first == done);
    if (next_is_known) {
      const int64_t start_ns = start_on_main_stream(ops.subspan(tile.first));
      const int64_t next_ns = start_on_main_stream(ops.subspan(done));
      if (next_ns > start_ns)
        time_iteration(stats,
                       {numbered_, start_ns, next_ns - start_ns, ops[tile.first].correlation});
    }
    ++stats.count;
    ++numbered_;
  }
}

NameStats& RunRecorder::unexplained_name(NameId name) {
  auto& names = statistics_.unexplained;
  if (names.empty()) names.emplace_back();  // name 0
  if (name >= RunStatistics::kMaxNames) return names[0];
  if (name >= name_slots_.size()) name_slots_.resize(name + 1, 0);
  if (name_slots_[name] == 0 && name != 0) {
    name_slots_[name] = static_cast<uint32_t>(names.size());
    names.emplace_back().name = name;
  }
  return names[name_slots_[name]];
}

void RunRecorder::account_block() {
  count_foreign();
  const auto [ops, explained] = std::exchange(block_, {});
  if (ops == 0) return;
  statistics_.last_end_ns = std::max(statistics_.last_end_ns, columns_.busy_until_ns());
  statistics_.ops += ops;
  statistics_.explained_ops += explained;
  statistics_.slices.back().ops += ops;
  statistics_.slices.back().explained_ops += explained;
  constexpr double kDecay = 1e-4;
  const double share = static_cast<double>(explained) / static_cast<double>(ops);
  explained_share_ += (share - explained_share_) * std::min(1.0, kDecay * static_cast<double>(ops));
}

// Before ops from this one on are accounted.
void RunRecorder::open_slice(const Event& first) {
  statistics_.first_start_ns = std::min(statistics_.first_start_ns, first.start_ns);
  auto& slices = statistics_.slices;
  if (!slices.empty() && slices.back().ops < statistics_.slice_ops) return;
  if (slices.size() == RunStatistics::kMaxSlices) {
    for (size_t i = 0; i < slices.size() / 2; ++i) {
      RunSlice merged = std::move(slices[2 * i]);
      const RunSlice& second = slices[2 * i + 1];
      merged.ops += second.ops;
      merged.explained_ops += second.explained_ops;
      for (const KindInSlice& kind : second.kinds) merged.add(kind);
      slices[i] = std::move(merged);
    }
    slices.resize(slices.size() / 2);
    statistics_.slice_ops *= 2;
  }
  slices.emplace_back().start_ns = first.start_ns;
}

void RunRecorder::begins(size_t at, uint32_t iteration) {
  const Event& op = ops_[at];
  end_iteration(op.start_ns);
  current_ = {};
  current_.iteration = first_kind_ + iteration;
  current_.start_ns = op.start_ns;
  current_.first_correlation = op.correlation;
}

// Iterations that share most of their ops (length buckets) are best told apart by how many ops went
// by.
uint32_t RunRecorder::closest_in_length() const {
  const auto& iterations = statistics_.iterations;
  const size_t seen = current_.matched + current_.unexplained;
  const auto off = [&](uint32_t i) {
    const size_t length = iterations[i].ops.size();
    return length > seen ? length - seen : seen - length;
  };
  uint32_t best = current_.iteration;
  if (off(best) <= seen / 50 + 4) return best;
  for (uint32_t i = first_kind_; i < iterations.size(); ++i)
    if (iterations[i].ops.front() == iterations[current_.iteration].ops.front() &&
        off(i) < off(best))
      best = i;
  return best;
}

uint64_t RunRecorder::counted() const {
  if (current_.iteration == kNoIteration) return counted_;
  const size_t half = statistics_.iterations[closest_in_length()].ops.size() / 2;
  return counted_ + (current_.matched >= half);
}

bool RunRecorder::is_odd(size_t length) const {
  return current_.matched < length - length / 5 ||
         current_.matched + current_.unexplained > length + length / 5;
}

// A checkpoint or the like lies between its first op and the next iteration's: that time is not
// its own.
bool RunRecorder::holds_something_else(size_t length) const {
  constexpr size_t kFewest = 16;
  return current_.longest_row >= std::max(kFewest, length / 10);
}

uint64_t RunRecorder::counted_whole() const {
  if (current_.iteration == kNoIteration) return whole_;
  return whole_ + !is_odd(statistics_.iterations[closest_in_length()].ops.size());
}

void RunRecorder::end_iteration(int64_t next_start_ns) {
  if (current_.iteration == kNoIteration) return;
  end_row();
  IterationStats& stats = statistics_.iterations[closest_in_length()];
  const size_t length = stats.ops.size(), half = length / 2;
  const bool odd = is_odd(length);
  constexpr double kForgotten = 1.0 / 128;
  odd_ += odd - odd_ * kForgotten;
  if (current_.matched < half) {
    ++stats.broken;
  } else {
    ++stats.count;
    const bool whole =
        current_.unexplained <= half && !holds_something_else(length) && next_start_ns != kNoTime;
    if (whole && next_start_ns > current_.start_ns)
      time_iteration(stats, {numbered_, current_.start_ns, next_start_ns - current_.start_ns,
                             current_.first_correlation});
    ++counted_;
    whole_ += !odd;
    ++numbered_;
  }
  current_.iteration = kNoIteration;
}

void RunRecorder::time_iteration(IterationStats& stats, const SlowInRun& iteration) {
  note_slow(stats, iteration);
  stats.time.add(iteration.duration_ns);
  if (statistics_.slices.empty()) return;
  const uint32_t kind = &stats == &statistics_.varying
                            ? KindInSlice::kVarying
                            : static_cast<uint32_t>(&stats - statistics_.iterations.data());
  statistics_.slices.back().add({kind, 1, iteration.duration_ns});
}

// More than 10 % over the median, and modified z = .6745 (x - median) / MAD over 3.5.
void RunRecorder::note_slow(IterationStats& stats, const SlowInRun& iteration) {
  constexpr uint64_t kEnough = 16, kEvery = 64;  // iterations for a first median, and for the next
  if (stats.time.count() < kEnough) return;
  if (stats.slow_over_ns == 0 || stats.time.count() % kEvery == 0) {
    const int64_t median = stats.time.quantile_ns(.5);
    const auto far =
        static_cast<int64_t>(3.5 / .6745 * static_cast<double>(stats.time.median_deviation_ns()));
    stats.slow_over_ns = median + std::max(median / 10, far);
  }
  if (iteration.duration_ns <= stats.slow_over_ns) return;
  ++stats.slow_count;
  const auto place = std::find_if(
      stats.slow.begin(), stats.slow.end(),
      [&](const SlowInRun& other) { return other.duration_ns < iteration.duration_ns; });
  stats.slow.insert(place, iteration);
  if (stats.slow.size() > IterationStats::kMaxSlow) stats.slow.pop_back();
}

}  // namespace deepprof
