#include "analysis/iterations/assemble.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "analysis/iterations/cut_at_holes.h"
#include "libdeepprof/middle_median.h"

namespace deepprof {
namespace {

constexpr size_t kJudgedOps = 1'000'000;
constexpr uint32_t kAhead = 64;  // ops: what is read behind them is fetched meanwhile

class Assembler {
 public:
  Assembler(const Trace& trace, const Sequence& sequence, DeviceMined& mined)
      : trace_(trace), sequence_(sequence), mined_(mined), main_(main_stream()) {}

  void add(const Stretch& stretch) {
    Section section;
    section.kind = stretch.kind;
    section.first = sequence_.position(stretch.first);
    section.last = sequence_.position(stretch.last);
    if (mined_.sections.empty()) section.first = 0;  // ops before the first symbol
    if (section.first == section.last) return;
    section.iterations = static_cast<uint32_t>(stretch.tiles.size());
    const size_t first_iteration = mined_.iterations.size();
    for (const Tile& tile : stretch.tiles) add(tile);
    close_windows(first_iteration);
    measure(section, first_iteration);
    mined_.sections.push_back(section);
  }

  void finish() {
    close_at_holes(trace_, mined_);
    close_stretches();
    for (size_t i = 0; i < mined_.iterations.size(); ++i)
      mined_.iterations[i].number = static_cast<int64_t>(i);
    double covered = 0, total = 0;
    for (const Section& section : mined_.sections) total += section.share_of_gpu_time;
    mined_.ops_per_iteration = usual_ops();
    for (size_t i = 0; i < mined_.iterations.size(); ++i) {
      if (is_repetition(mined_.iterations[i])) covered += busy_ns_[i];
    }
    for (Section& section : mined_.sections) section.share_of_gpu_time /= std::max(total, 1.0);
    mined_.coverage = covered / std::max(total, 1.0);
  }

 private:
  // Of the usual iterations (not of evaluations, however many); of all, where none is whole.
  double usual_ops() const {
    std::vector<double> lengths, usual;
    for (const Iteration& iteration : mined_.iterations) {
      if (iteration.partial) continue;
      lengths.push_back(iteration.last - iteration.first);
      if (is_usual(mined_.sections[iteration.section].kind)) usual.push_back(lengths.back());
    }
    return middle_median(std::move(usual.empty() ? lengths : usual));
  }
  // What is many times as long holds other loops beside the iteration that it was taken for.
  bool is_repetition(const Iteration& iteration) const {
    constexpr double kOtherLoops = 8;
    return !iteration.partial &&
           iteration.last - iteration.first <= kOtherLoops * mined_.ops_per_iteration;
  }

  const Op& op(uint32_t position) const { return trace_.ops[sequence_.order[position]]; }
  void fetch(uint32_t position) const {
    if (position < sequence_.order.size())
      __builtin_prefetch(&trace_.ops[sequence_.order[position]]);
  }

  // The stream with most ops, judged by at most a million of them: a tie of streams is no harm.
  uint64_t main_stream() const {
    std::unordered_map<uint64_t, size_t> counts;
    const size_t step = 1 + sequence_.order.size() / kJudgedOps;
    std::pair<const uint64_t, size_t>* last = nullptr;  // mostly the next one's, too
    for (size_t at = 0; at < sequence_.order.size(); at += step) {
      const uint64_t id = stream(trace_.ops[sequence_.order[at]]);
      if (last == nullptr || last->first != id) last = &*counts.try_emplace(id, 0).first;
      ++last->second;
    }
    uint64_t best = 0;
    size_t most = 0;
    for (const auto& [id, count] : counts) {
      if (count > most || (count == most && id < best)) most = count, best = id;
    }
    return best;
  }
  static uint64_t stream(const Op& op) { return (uint64_t{op.context} << 32) | op.stream; }

  void add(const Tile& tile) {
    Iteration iteration;
    iteration.first = sequence_.position(tile.first);
    iteration.last = sequence_.position(tile.last);
    iteration.partial = tile.partial;
    iteration.section = static_cast<uint32_t>(mined_.sections.size());
    iteration.first_correlation = op(first_launched(iteration)).correlation;
    bool started = false;
    iteration.start_ns = op(iteration.first).start_ns;
    const Span span = measure(iteration.first, iteration.last, [&](const Op& member) {
      if (started || stream(member) != main_) return;
      started = true;
      iteration.start_ns = member.start_ns;
    });
    iteration.span_start_ns = span.start_ns;
    iteration.span_end_ns = span.end_ns;
    mined_.iterations.push_back(iteration);
    busy_ns_.push_back(span.busy_ns);
  }

  // Each window ends where the next one of its section begins; the last one at its last member's
  // end.
  void close_windows(size_t from) {
    auto& all = mined_.iterations;
    for (size_t i = from; i < all.size(); ++i) {
      if (i > from) all[i].start_ns = std::max(all[i].start_ns, all[i - 1].start_ns);
      if (i > from) all[i - 1].end_ns = all[i].start_ns;
      if (i + 1 == all.size()) all[i].end_ns = std::max(all[i].start_ns, all[i].span_end_ns);
    }
  }

  // What stands between iterations lasts until the next one, with what the host did about it (it
  // wrote the checkpoint that it had read). Ops of it that ran beside iterations, on other streams,
  // take no time of theirs.
  void close_stretches() {
    auto& all = mined_.sections;
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i].iterations > 0) continue;
      if (i > 0) all[i].start_ns = all[i - 1].end_ns;
      if (i + 1 < all.size() && all[i + 1].iterations > 0) all[i].end_ns = all[i + 1].start_ns;
      all[i].end_ns = std::max(all[i].end_ns, all[i].start_ns);
    }
  }

  // The first op whose launch was recorded: others cannot be found again among the launches.
  uint32_t first_launched(const Iteration& iteration) const {
    if (trace_.calls.empty()) return iteration.first;
    for (uint32_t at = iteration.first; at < iteration.last; ++at) {
      if (op(at).launch != kNone) return at;
    }
    return iteration.first;
  }

  struct Span {
    int64_t start_ns = INT64_MAX, end_ns = INT64_MIN;
    double busy_ns = 0;
  };
  template <typename Visit>
  Span measure(uint32_t first, uint32_t last, const Visit& visit) const {
    Span span;
    int64_t busy_ns = 0;
    for (uint32_t at = first; at < last; ++at) {
      fetch(at + kAhead);
      const Op& member = op(at);
      span.start_ns = std::min(span.start_ns, member.start_ns);
      span.end_ns = std::max(span.end_ns, member.end_ns());
      busy_ns += member.duration_ns;
      visit(member);
    }
    span.busy_ns = static_cast<double>(busy_ns);
    return span;
  }

  // A section with iterations is tiled by them; another is measured op by op. share_of_gpu_time
  // holds nanoseconds until finish().
  void measure(Section& section, size_t first_iteration) {
    if (first_iteration == mined_.iterations.size()) {
      const Span span = measure(section.first, section.last, [](const Op&) {});
      section.start_ns = span.start_ns;
      section.end_ns = span.end_ns;
      section.share_of_gpu_time = span.busy_ns;
      return;
    }
    section.start_ns = mined_.iterations[first_iteration].start_ns;
    section.end_ns = mined_.iterations.back().end_ns;
    for (size_t i = first_iteration; i < mined_.iterations.size(); ++i)
      section.share_of_gpu_time += busy_ns_[i];
    // Ops in front of the first symbol belong to the section, not to its first iteration.
    section.share_of_gpu_time +=
        measure(section.first, mined_.iterations[first_iteration].first, [](const Op&) {}).busy_ns;
  }

  const Trace& trace_;
  const Sequence& sequence_;
  DeviceMined& mined_;
  uint64_t main_;
  std::vector<double> busy_ns_;  // by iteration: durations of its members, summed
};

}  // namespace

void assemble(const Trace& trace, const Sequence& sequence, const std::vector<Stretch>& stretches,
              DeviceMined& mined) {
  Assembler assembler(trace, sequence, mined);
  for (const Stretch& stretch : stretches) assembler.add(stretch);
  assembler.finish();
}

}  // namespace deepprof
