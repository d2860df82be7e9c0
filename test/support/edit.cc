#include "test/support/edit.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "analysis/sequence/launch_order.h"

namespace deepprof::test {
namespace {

constexpr int64_t kLeastGap_ns = 5'000, kMostGap_ns = 10'000'000;

int64_t launch_ns(const Trace& trace, const Op& op) {
  return op.launch != kNone ? trace.calls[op.launch].start_ns : op.start_ns;
}

}  // namespace

LabelledTrace copy(const LabelledTrace& labelled) {
  LabelledTrace result;
  result.name = labelled.name;
  result.step = labelled.step;
  const Trace& from = labelled.trace;
  Trace& to = result.trace;
  to.ops = from.ops;
  to.calls = from.calls;
  to.details = from.details;
  to.threads = from.threads;
  for (NameId id = 0; id < from.names.size(); ++id) to.names.intern(from.names[id]);
  return result;
}

void Assembly::append(const LabelledTrace& from, const std::vector<uint32_t>& order, size_t first,
                      size_t last) {
  if (first >= last) return;
  const Trace& source = from.trace;
  int64_t from_ns = INT64_MAX, until_ns = 0;
  uint32_t least = UINT32_MAX, greatest = 0;
  for (size_t i = first; i < last; ++i) {
    const Op& op = source.ops[order[i]];
    from_ns = std::min(from_ns, launch_ns(source, op));
    until_ns = std::max(until_ns, launch_ns(source, op));
    if (op.correlation != 0)
      least = std::min(least, op.correlation), greatest = std::max(greatest, op.correlation);
  }
  const int64_t before_ns = first > 0 ? launch_ns(source, source.ops[order[first - 1]]) : from_ns;
  const int64_t shift_ns =
      end_ns_ + std::clamp(from_ns - before_ns, kLeastGap_ns, kMostGap_ns) - from_ns;
  const uint32_t shift_id = correlation_ + 1 - least;
  const auto within = [&](uint32_t id) { return id != 0 && id >= least && id <= greatest; };
  while (trace.threads.size() < std::max<size_t>(1, source.threads.size()))
    trace.threads.push_back({1, trace.threads.size() + 1, ""});

  std::vector<NameId> names(source.names.size(), kNone);
  const auto name = [&](NameId id) {
    if (names[id] == kNone) names[id] = trace.names.intern(source.names[id]);
    return names[id];
  };
  std::map<int, int> numbers;
  for (size_t i = first; i < last; ++i) {
    Op op = source.ops[order[i]];
    op.start_ns += shift_ns;
    op.device = 0;
    op.name = name(op.name);
    if (op.correlation != 0) op.correlation += shift_id;
    trace.details.push_back(source.details[op.detail]);
    op.detail = static_cast<uint32_t>(trace.details.size() - 1);
    trace.ops.push_back(op);
    const int label = from.step[order[i]];
    if (label >= 0 && numbers.try_emplace(label, steps_).second) ++steps_;
    step.push_back(label < 0 ? -1 : numbers[label]);
    end_ns_ = std::max(end_ns_, op.end_ns());
  }
  for (HostCall call : source.calls) {
    if (call.start_ns < from_ns || call.start_ns > until_ns) continue;
    call.start_ns += shift_ns;
    call.name = name(call.name);
    call.detail = 0;
    call.correlation = within(call.correlation) ? call.correlation + shift_id : 0;
    trace.calls.push_back(call);
    end_ns_ = std::max(end_ns_, call.end_ns());
  }
  if (greatest > 0) correlation_ += greatest - least + 1;
}

void Assembly::append_as_step(const LabelledTrace& from, const std::vector<uint32_t>& order,
                              size_t first, size_t last) {
  const size_t before = step.size();
  append(from, order, first, last);
  std::fill(step.begin() + static_cast<std::ptrdiff_t>(before), step.end(), steps_++);
}

LabelledTrace Assembly::finish(const std::string& name) {
  std::vector<size_t> places(trace.ops.size());
  std::iota(places.begin(), places.end(), size_t{0});
  // As Trace::finish() sorts, which then leaves the ops where they are.
  std::stable_sort(places.begin(), places.end(), [&](size_t a, size_t b) {
    const Op &x = trace.ops[a], &y = trace.ops[b];
    return std::tuple(x.start_ns, x.end_ns(), x.stream) <
           std::tuple(y.start_ns, y.end_ns(), y.stream);
  });
  LabelledTrace result;
  result.name = name;
  std::vector<Op> ops;
  for (const size_t place : places)
    ops.push_back(trace.ops[place]), result.step.push_back(step[place]);
  trace.ops = std::move(ops);
  trace.finish();
  result.trace = std::move(trace);
  return result;
}

std::vector<uint32_t> launched(const LabelledTrace& recorded) {
  const auto devices = devices_with_ops(recorded.trace);
  return devices.empty() ? std::vector<uint32_t>{}
                         : launch_order(recorded.trace, devices.front()).ops;
}

std::vector<StepRange> step_ranges(const LabelledTrace& recorded,
                                   const std::vector<uint32_t>& order) {
  std::map<int, StepRange> by_number;
  for (size_t i = 0; i < order.size(); ++i) {
    const int number = recorded.step[order[i]];
    if (number < 0) continue;
    by_number.try_emplace(number, StepRange{i, i}).first->second.last = i + 1;
  }
  std::vector<StepRange> result;
  for (const auto& [number, range] : by_number) result.push_back(range);
  std::sort(result.begin(), result.end(),
            [](const StepRange& a, const StepRange& b) { return a.first < b.first; });
  return result;
}

}  // namespace deepprof::test
