#include "libdeepprof/trace/let_go.h"

#include <algorithm>
#include <utility>

namespace deepprof {

void LaneSpans::add(const LaneSpan& span) {
  const auto at = std::lower_bound(spans_.begin(), spans_.end(), span.lane,
                                   [](const LaneSpan& a, uint32_t lane) { return a.lane < lane; });
  if (at == spans_.end() || at->lane != span.lane) {
    spans_.insert(at, span);
    return;
  }
  at->first_ns = std::min(at->first_ns, span.first_ns);
  at->last_ns = std::max(at->last_ns, span.last_ns);
}

void LaneSpans::add(const LaneSpans& others) {
  for (const LaneSpan& span : others.spans_) add(span);
}

bool LaneSpans::touches(uint32_t lane, int64_t from_ns, int64_t to_ns) const {
  return std::any_of(spans_.begin(), spans_.end(), [&](const LaneSpan& span) {
    return span.lane == lane && span.touches(from_ns, to_ns);
  });
}

void LaneSpans::put(ByteSink& out) const {
  out.put_varint(spans_.size());
  for (const LaneSpan& span : spans_) {
    out.put_varint(span.lane);
    out.put(span.first_ns);
    out.put(span.last_ns);
  }
}

bool LaneSpans::take(ByteReader& in) {
  constexpr size_t kLeastSpan_bytes = 17;
  spans_.resize(static_cast<size_t>(in.take_varint(in.remaining() / kLeastSpan_bytes)));
  for (LaneSpan& span : spans_) {
    span.lane = static_cast<uint32_t>(in.take_varint(UINT32_MAX));
    span.first_ns = in.take<int64_t>();
    span.last_ns = in.take<int64_t>();
  }
  const bool ascending = std::is_sorted(
      spans_.begin(), spans_.end(), [](const auto& a, const auto& b) { return a.lane < b.lane; });
  return !in.failed() && ascending;
}

namespace {

const LaneSpan& span_of(const LetGoRun& earlier) { return earlier.lanes.spans().front(); }

bool is_of_segments(const LetGoRun& run) { return run.first > 0; }

}  // namespace

void LetGo::add_earlier(const LaneSpan& span, size_t most) {
  if (span.first_ns > span.last_ns) return;
  LetGoRun added;
  added.lanes.add(span);
  const auto end = std::find_if(runs_.begin(), runs_.end(), is_of_segments);
  auto at = std::partition_point(runs_.begin(), end, [&](const LetGoRun& run) {
    const LaneSpan& other = span_of(run);
    return other.lane < span.lane || (other.lane == span.lane && other.last_ns < span.first_ns);
  });
  const auto touched_end = std::find_if(at, end, [&](const LetGoRun& run) {
    return span_of(run).lane != span.lane || span_of(run).first_ns > span.last_ns;
  });
  for (auto touched = at; touched != touched_end; ++touched) added.lanes.add(touched->lanes);
  at = runs_.erase(at, touched_end);
  runs_.insert(at, std::move(added));
  unite_closest_earlier(most);
}

// If there are too many. Of equally close ones, those that are the shortest together: losses at
// regular times shall not pile up in one.
void LetGo::unite_closest_earlier(size_t most) {
  const auto end = std::find_if(runs_.begin(), runs_.end(), is_of_segments);
  if (end - runs_.begin() <= static_cast<std::ptrdiff_t>(most)) return;
  auto closest = end;
  std::pair<int64_t, int64_t> least{INT64_MAX, INT64_MAX};
  for (auto next = runs_.begin() + 1; next != end; ++next) {
    const LaneSpan &span = span_of(*(next - 1)), &other = span_of(*next);
    if (span.lane != other.lane) continue;
    const std::pair distance{other.first_ns - span.last_ns, other.last_ns - span.first_ns};
    if (distance >= least) continue;
    least = distance;
    closest = next;
  }
  if (closest == end) return;  // no lane has two
  (closest - 1)->lanes.add(closest->lanes);
  runs_.erase(closest);
}

void LetGo::add(uint32_t segment, uint64_t events, const LaneSpans& lanes) {
  auto after = std::find_if(runs_.begin(), runs_.end(),
                            [&](const LetGoRun& run) { return run.first > segment; });
  LetGoRun added{segment, segment, events, lanes};
  const auto absorb = [&](const LetGoRun& neighbour) {
    added.first = std::min(added.first, neighbour.first);
    added.last = std::max(added.last, neighbour.last);
    added.events += neighbour.events;
    added.lanes.add(neighbour.lanes);
  };
  if (after != runs_.end() && after->first == segment + 1) {
    absorb(*after);
    after = runs_.erase(after);
  }
  if (after != runs_.begin() && (after - 1)->first > 0 && (after - 1)->last + 1 == segment) {
    absorb(*(after - 1));
    *(after - 1) = std::move(added);
  } else {
    runs_.insert(after, std::move(added));
  }
}

bool LetGo::holds(uint32_t segment) const {
  return std::any_of(runs_.begin(), runs_.end(), [&](const LetGoRun& run) {
    return run.first <= segment && segment <= run.last;
  });
}

bool LetGo::touches(uint32_t lane, int64_t from_ns, int64_t to_ns) const {
  return std::any_of(runs_.begin(), runs_.end(),
                     [&](const LetGoRun& run) { return run.lanes.touches(lane, from_ns, to_ns); });
}

void LetGo::encode(ByteSink& out) const {
  out.put_varint(runs_.size());
  for (const LetGoRun& run : runs_) {
    out.put_varint(run.first);
    out.put_varint(run.last);
    out.put_varint(run.events);
    run.lanes.put(out);
  }
}

bool LetGo::decode(ByteSpan payload) {
  constexpr size_t kLeastRun_bytes = 4;
  ByteReader in(payload);
  runs_.clear();
  const uint64_t runs = in.take_varint(in.remaining() / kLeastRun_bytes);
  for (uint64_t i = 0; i < runs && !in.failed(); ++i) {
    LetGoRun& run = runs_.emplace_back();
    run.first = static_cast<uint32_t>(in.take_varint(UINT32_MAX));
    run.last = static_cast<uint32_t>(in.take_varint(UINT32_MAX));
    run.events = in.take_varint();
    if (!run.lanes.take(in)) return false;
  }
  return !in.failed() && in.remaining() == 0;
}

}  // namespace deepprof
