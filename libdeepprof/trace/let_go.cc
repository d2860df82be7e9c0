#include "libdeepprof/trace/let_go.h"

#include <algorithm>

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

void LetGo::add_earlier(const LaneSpan& span) {
  const auto end =
      std::find_if(runs_.begin(), runs_.end(), [](const LetGoRun& run) { return run.first > 0; });
  if (end - runs_.begin() >= static_cast<std::ptrdiff_t>(kMostEarlier)) {
    runs_.front().lanes.add(span);
    return;
  }
  LetGoRun run;
  run.lanes.add(span);
  runs_.insert(runs_.begin(), std::move(run));
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
