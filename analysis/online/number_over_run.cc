#include "analysis/online/number_over_run.h"

#include <algorithm>
#include <optional>

#include "analysis/online/run_statistics_blob.h"
#include "libdeepprof/event/event.h"

namespace deepprof {
namespace {

// The iteration that ran at a time, and the number that the run gave it.
struct Anchor {
  int64_t time_ns = 0;
  int64_t number = 0;
};

std::optional<RunStatistics> statistics_of(const Trace& trace, uint16_t device) {
  const auto blob = trace.blobs.find(run_statistics_key(device));
  if (blob == trace.blobs.end()) return std::nullopt;
  auto run = decode_run_statistics(blob->second);
  if (!run) return std::nullopt;
  return std::move(run->statistics);
}

// What a file says beyond these is damage.
constexpr uint64_t kGreatestNumber = uint64_t{1} << 48;
bool is_sane(const SlowInRun& slow) {
  return usable_times(slow.start_ns, slow.duration_ns) && slow.number <= kGreatestNumber;
}

// By time. In the middle of an iteration: the two ways to find iterations may cut them at other
// places.
std::vector<Anchor> anchors_of(const RunStatistics& run, const std::vector<Iteration>& iterations) {
  std::vector<Anchor> anchors;
  for (const IterationStats& kind : run.iterations) {
    for (const SlowInRun& slow : kind.slow) {
      if (is_sane(slow))
        anchors.push_back(
            {slow.start_ns + slow.duration_ns / 2, static_cast<int64_t>(slow.number)});
    }
  }
  // All that had ended when the statistics were stored.
  const auto last =
      std::find_if(iterations.rbegin(), iterations.rend(),
                   [&](const Iteration& iteration) { return iteration.end_ns <= run.last_end_ns; });
  if (last != iterations.rend() && run.iteration_count() > 0 &&
      run.iteration_count() <= kGreatestNumber) {
    anchors.push_back({last->start_ns + (last->end_ns - last->start_ns) / 2,
                       static_cast<int64_t>(run.iteration_count()) - 1});
  }
  std::sort(anchors.begin(), anchors.end(),
            [](const Anchor& a, const Anchor& b) { return a.time_ns < b.time_ns; });
  return anchors;
}

// Iterations [first, last), between two holes.
void number_stretch(std::vector<Iteration>& iterations, size_t first, size_t last,
                    const std::vector<Anchor>& anchors) {
  std::optional<int64_t> offset;  // number - index
  size_t at = first;
  for (const Anchor& anchor : anchors) {
    const auto here =
        std::find_if(iterations.begin() + static_cast<ptrdiff_t>(at),
                     iterations.begin() + static_cast<ptrdiff_t>(last), [&](const Iteration& i) {
                       return i.start_ns <= anchor.time_ns && anchor.time_ns < i.end_ns;
                     });
    const auto index = static_cast<size_t>(here - iterations.begin());
    if (index == last) continue;
    const int64_t next_offset = anchor.number - static_cast<int64_t>(index);
    // What lies before the first anchor is counted back from it. Where the run counted fewer than
    // the recording shows, the last ones before the anchor share a number: the anchor's own is what
    // people were told.
    for (; at < index; ++at) {
      const int64_t number = static_cast<int64_t>(at) + offset.value_or(next_offset);
      iterations[at].number = std::min(number, anchor.number - 1);
    }
    offset = next_offset;
  }
  const int64_t least = first == 0 ? 0 : iterations[first - 1].number + 1;
  for (; at < last; ++at)
    iterations[at].number =
        static_cast<int64_t>(at) + offset.value_or(least - static_cast<int64_t>(first));
  // Numbers never descend, whatever the statistics say.
  for (at = first; at < last; ++at) {
    const int64_t lower = at == 0 ? 0 : at == first ? least : iterations[at - 1].number;
    iterations[at].number = std::max(iterations[at].number, lower);
  }
}

}  // namespace

void number_over_run(const Trace& trace, Mined& mined) {
  for (DeviceMined& device : mined.devices) {
    const auto holes = holes_of(trace, device.device);
    std::vector<Iteration>& iterations = device.iterations;
    // A hole behind all of them, as a killed job's end, skips no number.
    if (iterations.empty() || holes.empty() || holes[0].start_ns >= iterations.back().start_ns)
      continue;
    const auto run = statistics_of(trace, device.device);
    if (!run) continue;
    const std::vector<Anchor> anchors = anchors_of(*run, iterations);
    size_t first = 0;
    for (size_t i = 1; i <= iterations.size(); ++i) {
      const bool ends = i == iterations.size() ||
                        touches_hole(holes, iterations[i - 1].start_ns, iterations[i].start_ns);
      if (!ends) continue;
      number_stretch(iterations, first, i, anchors);
      first = i;
    }
  }
}

}  // namespace deepprof
