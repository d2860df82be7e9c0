#include "analysis/report/figures.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <unordered_map>

#include "analysis/breakdown/sm_efficiency.h"
#include "analysis/categories/annotation_name.h"
#include "analysis/report/may_be_no_iteration.h"

namespace deepprof {
namespace {

// Cuts gaps at the borders of windows. Windows are ascending and do not overlap; gaps come
// ascending.
class PieceCursor {
 public:
  explicit PieceCursor(std::vector<Window> windows) : windows_(std::move(windows)) {}

  // Calls visit(window index, piece length) for every window that the gap touches.
  template <typename Visit>
  void for_each_piece(const Gap& gap, Visit visit) {
    while (first_ < windows_.size() && windows_[first_].end_ns <= gap.start_ns) ++first_;
    for (size_t i = first_; i < windows_.size() && windows_[i].start_ns < gap.end_ns; ++i) {
      const int64_t piece =
          std::min(gap.end_ns, windows_[i].end_ns) - std::max(gap.start_ns, windows_[i].start_ns);
      if (piece > 0) visit(i, piece);
    }
  }

 private:
  std::vector<Window> windows_;
  size_t first_ = 0;
};

// Which name carries most time; ids are dense, so a flat table beats a map.
class NameTally {
 public:
  void add(NameId name, int64_t ns) {
    if (name >= total_.size()) total_.resize(name + 1, 0);
    total_[name] += ns;
  }
  NameId top(int64_t& ns) const {
    const auto most = std::max_element(total_.begin(), total_.end());
    if (most == total_.end()) return 0;
    ns = *most;
    return static_cast<NameId>(most - total_.begin());
  }
  // At most so many, most first.
  std::vector<CauseFigures::Doing> list(size_t most) const {
    std::vector<CauseFigures::Doing> all;
    for (NameId name = 0; name < total_.size(); ++name) {
      if (total_[name] > 0) all.push_back({name, total_[name]});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.ns > b.ns; });
    if (all.size() > most) all.resize(most);
    return all;
  }

 private:
  std::vector<int64_t> total_;
};

struct CauseTally {
  std::vector<int64_t> pieces;
  NameTally after, call, range;
  struct Wait {
    int64_t ns = 0;
    uint32_t before = kNone, after = kNone;
  };
  std::unordered_map<uint64_t, Wait> waits;  // by (before name, after stream)
  int64_t largest_piece = -1;

  void add(const Trace& trace, const Gap& gap, int64_t piece, uint32_t iteration,
           CauseFigures& figures, AnnotationIds& annotations) {
    pieces.push_back(piece);
    if (gap.after != kNone) after.add(trace.ops[gap.after].name, piece);
    if (gap.call != 0) call.add(gap.call, piece);
    figures.loading_ns += std::min(gap.loading_ns, piece);
    if (gap.range != 0) range.add(annotations.of(gap.range), piece);
    if (piece > largest_piece) {
      largest_piece = piece;
      figures.largest = gap;
      figures.largest_iteration = iteration;
    }
    if (gap.cause != Cause::dependency_wait || gap.before == kNone) return;
    const Op& before = trace.ops[gap.before];
    const Op& next = trace.ops[gap.after];
    if (before.stream != next.stream) {
      Wait& wait = waits[static_cast<uint64_t>(before.name) << 32 | next.stream];
      wait.ns += piece;
      wait.before = gap.before;
      wait.after = gap.after;
    }
  }

  void finish(CauseFigures& figures) {
    std::sort(pieces.begin(), pieces.end());
    const int64_t all_ns = std::accumulate(pieces.begin(), pieces.end(), int64_t{0});
    for (auto at = pieces.rbegin(); at != pieces.rend() && 2 * figures.half_ns < all_ns; ++at) {
      ++figures.half_count;
      figures.half_ns += figures.half_least_ns = *at;
    }
    figures.pieces = distribution_of_sorted(pieces);
    figures.top_after = after.top(figures.top_after_ns);
    figures.top_call = call.top(figures.top_call_ns);
    figures.top_range = range.top(figures.top_range_ns);
    figures.doing = range.list(CauseFigures::kMostDoing);
    int64_t most = 0;
    for (const auto& [key, wait] : waits) {
      // Ties go to the earlier op, so that the report does not depend on the order of the map.
      if (wait.ns > most || (wait.ns == most && wait.before < figures.top_wait)) {
        most = wait.ns;
        figures.top_wait = wait.before;
        figures.top_wait_after = wait.after;
      }
    }
  }
};

std::vector<Window> windows_of(const std::vector<Iteration>& iterations) {
  std::vector<Window> windows;
  windows.reserve(iterations.size());
  for (const Iteration& iteration : iterations)
    windows.push_back({iteration.start_ns, iteration.end_ns});
  return windows;
}

std::vector<Window> windows_of(const std::vector<Section>& sections) {
  std::vector<Window> windows;
  for (const Section& section : sections) windows.push_back({section.start_ns, section.end_ns});
  return windows;
}

// Iterations that stay where the last one is left out: of fewer, each counts.
constexpr size_t kFewestClosed = 4;

void choose_counted(const View& view, DeviceFigures& device) {
  const DeviceMined& mined = *device.mined;
  std::vector<uint32_t> training, complete, all;
  for (uint32_t i = 0; i < mined.iterations.size(); ++i) {
    const Iteration& iteration = mined.iterations[i];
    const bool in_training = iteration.section < mined.sections.size() &&
                             is_usual(mined.sections[iteration.section].kind);
    if (!view.shows(mined, i)) continue;
    all.push_back(i);
    if (!iteration.partial) complete.push_back(i);
    if (!iteration.partial && in_training) training.push_back(i);
  }
  if (view.counts) {  // who names iterations means them
    device.counted = std::move(all);
    return;
  }
  device.counted = std::move(!training.empty() ? training : !complete.empty() ? complete : all);
  // The window of the recording's last one ends with its last op, not where a next one begins.
  device.last_left_out =
      device.counted.size() > kFewestClosed && device.counted.back() + 1 == mined.iterations.size();
  if (device.last_left_out) device.counted.pop_back();
}

// Where what was found is doubtful and holds less than half of the run's time, the job is more than
// that: nothing is counted, and the figures are of the whole run.
void count_nothing_doubtful(const View& view, DeviceFigures& device) {
  const bool asked_for = view.counts || view.within || view.doubtful;
  if (asked_for || !is_low(device.mined->confidence) || marked_one_by_one(device.marked)) return;
  int64_t counted_ns = 0;
  const auto add = [&](const Iteration& each) { counted_ns += each.end_ns - each.start_ns; };
  for (const uint32_t i : device.counted) add(device.mined->iterations[i]);
  if (device.last_left_out) add(device.mined->iterations.back());
  if (2 * counted_ns >= device.span.end_ns - device.span.start_ns) return;
  device.counted.clear();
  device.last_left_out = false;
}

double trend_of(const std::vector<int64_t>& durations) {
  const size_t tenth = durations.size() / 10;
  if (tenth == 0) return 0;
  const auto median_of = [&](size_t from) {
    const auto start = durations.begin() + static_cast<std::ptrdiff_t>(from);
    return distribution_of({start, start + static_cast<std::ptrdiff_t>(tenth)}).median_ns;
  };
  const int64_t first = median_of(0), last = median_of(durations.size() - tenth);
  return first > 0 ? static_cast<double>(last) / static_cast<double>(first) - 1 : 0;
}

// Whether the last third is longer or shorter than the first beyond chance: Mann and Whitney's test
// of ranks, which a few stalls or two kinds of iteration do not move.
bool is_clear_trend(const std::vector<int64_t>& durations) {
  constexpr double kChance = 2.58;  // deviations: one in a hundred
  const size_t third = durations.size() / 3;
  const std::span<const int64_t> all(durations), first = all.first(third), last = all.last(third);
  std::vector<int64_t> sorted(first.begin(), first.end());
  std::sort(sorted.begin(), sorted.end());
  double above = 0;  // pairs in which the later one is longer; half of those that are equal
  for (const int64_t each : last) {
    const auto [low, high] = std::equal_range(sorted.begin(), sorted.end(), each);
    above += static_cast<double>((low - sorted.begin()) + (high - sorted.begin())) / 2;
  }
  const auto k = static_cast<double>(third);
  const double deviation = std::sqrt(k * k * (2 * k + 1) / 12);
  return third > 0 && std::fabs(above - k * k / 2) > kChance * deviation;
}

void account(const HostRecord& host, const Figures& figures, DeviceFigures& device) {
  const Trace& trace = host.trace();
  std::vector<Window> windows{device.span};
  std::vector<Window> iterations, sections;
  if (device.mined != nullptr) {
    iterations = windows_of(device.mined->iterations);
    sections = windows_of(device.mined->sections);
  }
  windows.insert(windows.end(), iterations.begin(), iterations.end());
  windows.insert(windows.end(), sections.begin(), sections.end());
  const auto accounts = account_windows(trace, device.ops, figures.category_of_name, windows);
  const auto middle = accounts.begin() + 1 + static_cast<std::ptrdiff_t>(iterations.size());
  device.run = accounts[0];
  device.iterations.assign(accounts.begin() + 1, middle);
  device.sections.assign(middle, accounts.end());
  device.iteration_idle.resize(iterations.size());
  device.section_idle.resize(sections.size());

  // Windows may reach beyond the ops (of a stream): the idle time there needs a cause too.
  Window whole = device.span;
  for (const Window& window : windows) {
    whole.start_ns = std::min(whole.start_ns, window.start_ns);
    whole.end_ns = std::max(whole.end_ns, window.end_ns);
  }
  std::vector<bool> is_counted(iterations.size(), false);
  for (const uint32_t i : device.counted) is_counted[i] = true;
  PieceCursor iteration_cursor(std::move(iterations)), section_cursor(std::move(sections));
  std::array<CauseTally, kCauses> tallies;
  AnnotationIds annotations(trace);
  for_each_gap(
      host, device.ops,
      [&](const Gap& gap) {
        const auto cause = static_cast<size_t>(gap.cause);
        const int64_t in_run =
            std::min(gap.end_ns, device.span.end_ns) - std::max(gap.start_ns, device.span.start_ns);
        if (in_run > 0) {
          device.run_idle[cause] += in_run;
          if (device.counted.empty())
            tallies[cause].add(trace, gap, in_run, kNone, device.causes[cause], annotations);
        }
        iteration_cursor.for_each_piece(gap, [&](size_t i, int64_t piece) {
          device.iteration_idle[i][cause] += piece;
          if (is_counted[i])
            tallies[cause].add(trace, gap, piece, static_cast<uint32_t>(i), device.causes[cause],
                               annotations);
        });
        section_cursor.for_each_piece(
            gap, [&](size_t i, int64_t piece) { device.section_idle[i][cause] += piece; });
      },
      whole);
  for (size_t cause = 0; cause < kCauses; ++cause) tallies[cause].finish(device.causes[cause]);

  std::vector<Window> basis{device.span};
  if (!device.counted.empty()) basis.clear();
  for (const uint32_t i : device.counted) {
    basis.push_back({device.mined->iterations[i].start_ns, device.mined->iterations[i].end_ns});
  }
  device.sm_filled_ns = sm_filled_ns(trace, device.ops, basis);
  if (device.counted.empty()) device.basis = device.run;
  for (const uint32_t i : device.counted) device.basis += device.iterations[i];
}

// Ops are counted by membership: those of the counted iterations, or all that are shown.
template <typename Visit>
void for_each_basis_op(const Trace& trace, uint32_t stream, const DeviceFigures& device,
                       Visit visit) {
  if (device.counted.empty()) {
    for (const uint32_t index : device.shown()) visit(index);
    return;
  }
  const std::vector<uint32_t>& order = device.mined->order;
  for (const uint32_t i : device.counted) {
    const Iteration& iteration = device.mined->iterations[i];
    for (uint32_t at = iteration.first; at < iteration.last && at < order.size(); ++at) {
      if (stream == kNone || trace.ops[order[at]].stream == stream) visit(order[at]);
    }
  }
}

// The ops that the view names, ascending.
void choose_shown(const Trace& trace, const View& view, DeviceFigures& device) {
  device.iterations_named = static_cast<bool>(view.counts) && device.has_iterations();
  device.narrowed = device.iterations_named || view.within;
  if (!device.narrowed) return;
  if (device.iterations_named) {
    for_each_basis_op(trace, view.stream, device,
                      [&](uint32_t index) { device.shown_ops.push_back(index); });
    std::sort(device.shown_ops.begin(), device.shown_ops.end());
    return;
  }
  for (const uint32_t index : device.ops) {
    const Op& op = trace.ops[index];
    if (op.start_ns < device.span.end_ns && op.end_ns() > device.span.start_ns)
      device.shown_ops.push_back(index);
  }
}

void count_kernels(const Trace& trace, const Figures& figures, DeviceFigures& device) {
  std::vector<KernelFigures> by_name(trace.names.size());
  for_each_basis_op(trace, figures.view.stream, device, [&](uint32_t index) {
    const Op& op = trace.ops[index];
    device.activity_ns[static_cast<size_t>(activity_of(op, figures.category_of_name))] +=
        op.duration_ns;
    if ((op.kind != Kind::kernel && op.kind != Kind::graph) || op.name >= by_name.size()) return;
    KernelFigures& kernel = by_name[op.name];
    kernel.min_ns = kernel.count == 0 ? op.duration_ns : std::min(kernel.min_ns, op.duration_ns);
    kernel.max_ns = std::max(kernel.max_ns, op.duration_ns);
    kernel.total_ns += op.duration_ns;
    ++kernel.count;
  });
  device.category_ns.assign(figures.category_names.size(), 0);
  device.category_count.assign(figures.category_names.size(), 0);
  for (NameId name = 0; name < by_name.size(); ++name) {
    KernelFigures& kernel = by_name[name];
    if (kernel.count == 0) continue;
    kernel.name = name;
    kernel.category = figures.category_of_name[name];
    device.category_ns[kernel.category] += kernel.total_ns;
    device.category_count[kernel.category] += kernel.count;
    device.kernels.push_back(kernel);
  }
  std::stable_sort(
      device.kernels.begin(), device.kernels.end(),
      [](const KernelFigures& a, const KernelFigures& b) { return a.total_ns > b.total_ns; });
}

}  // namespace

Distribution distribution_of(std::vector<int64_t> durations) {
  std::sort(durations.begin(), durations.end());
  return distribution_of_sorted(durations);
}

Distribution distribution_of_sorted(std::span<const int64_t> durations) {
  Distribution result;
  if (durations.empty()) return result;
  const size_t n = durations.size();
  result.count = n;
  for (const int64_t duration : durations) result.total_ns += duration;
  result.mean_ns = static_cast<double>(result.total_ns) / static_cast<double>(n);
  double squares = 0;
  for (const int64_t duration : durations) {
    const double away = static_cast<double>(duration) - result.mean_ns;
    squares += away * away;
  }
  result.deviation_ns = n > 1 ? std::sqrt(squares / static_cast<double>(n - 1)) : 0;
  // Nearest rank; the median of an even count lies in the middle of the two.
  const auto rank = [&](uint64_t percent) { return durations[(n * percent + 99) / 100 - 1]; };
  result.median_ns = n % 2 == 1
                         ? durations[n / 2]
                         : durations[n / 2 - 1] + (durations[n / 2] - durations[n / 2 - 1]) / 2;
  result.p95_ns = rank(95);
  result.p99_ns = rank(99);
  result.max_ns = durations.back();
  return result;
}

std::vector<Window> DeviceFigures::counted_windows() const {
  std::vector<Window> windows;
  windows.reserve(counted.size());
  for (const uint32_t i : counted)
    windows.push_back({mined->iterations[i].start_ns, mined->iterations[i].end_ns});
  return windows;
}

std::vector<Window> DeviceFigures::shown_windows() const {
  return iterations_named ? counted_windows() : std::vector<Window>{span};
}

std::vector<uint32_t> basis_ops(const Trace& trace, const Figures& figures,
                                const DeviceFigures& device) {
  std::vector<uint32_t> ops;
  for_each_basis_op(trace, figures.view.stream, device,
                    [&](uint32_t index) { ops.push_back(index); });
  return ops;
}

Window run_of(const Figures& figures) {
  Window run = figures.devices[0].span;
  for (const DeviceFigures& device : figures.devices) {
    run = {std::min(run.start_ns, device.span.start_ns), std::max(run.end_ns, device.span.end_ns)};
  }
  return run;
}

LaunchingThreads::LaunchingThreads(const Trace& trace, const DeviceFigures& device)
    : launches_(trace.threads.size(), false) {
  for (const uint32_t index : device.ops) {
    const Op& op = trace.ops[index];
    if (op.launch == kNone) continue;
    none_ = false;
    const uint32_t thread = trace.calls[op.launch].thread;
    if (thread < launches_.size()) launches_[thread] = true;
  }
}

const DeviceFigures* figures_of(const Figures& figures, uint32_t device) {
  const auto at = std::lower_bound(
      figures.devices.begin(), figures.devices.end(), device,
      [](const DeviceFigures& each, uint32_t number) { return each.device < number; });
  return at != figures.devices.end() && at->device == device ? &*at : nullptr;
}

const DeviceFigures& Figures::main() const {
  return *std::max_element(
      devices.begin(), devices.end(),
      [](const DeviceFigures& a, const DeviceFigures& b) { return a.gpu_time_ns < b.gpu_time_ns; });
}

namespace {

std::vector<uint32_t> find_synchronize_calls(const Trace& trace) {
  std::vector<uint8_t> known(trace.names.size(), 0);  // by name: 0 not asked, 1 no, 2 yes
  std::vector<uint32_t> calls;
  for (uint32_t index = 0; index < trace.calls.size(); ++index) {
    const HostCall& call = trace.calls[index];
    if (call.kind != Kind::api_call) continue;
    uint8_t& answer = known[call.name];
    if (answer == 0) answer = is_synchronize(trace.names[call.name]) ? 2 : 1;
    if (answer == 2) calls.push_back(index);
  }
  return calls;
}

// False: the view shows nothing of the device.
bool fill(const HostRecord& host, const Figures& figures, DeviceFigures& device) {
  const Trace& trace = host.trace();
  const View& view = figures.view;
  device.span = span_of(trace, device.ops);
  if (view.within) {
    device.span = {std::max(device.span.start_ns, view.within->start_ns),
                   std::min(device.span.end_ns, view.within->end_ns)};
    if (device.span.end_ns <= device.span.start_ns) return false;
  }
  if (view.stream != kNone) {
    std::erase_if(device.ops,
                  [&](uint32_t index) { return trace.ops[index].stream != view.stream; });
    if (device.ops.empty()) return false;
  }
  if (!view.whole_run && device.mined != nullptr && device.mined->verdict != Verdict::none) {
    choose_counted(view, device);
    std::vector<int64_t> durations;
    for (const uint32_t i : device.counted) {
      durations.push_back(device.mined->iterations[i].end_ns -
                          device.mined->iterations[i].start_ns);
    }
    device.trend_ratio = trend_of(durations);
    device.trend_is_clear = is_clear_trend(durations);
    device.iteration_time = distribution_of(std::move(durations));
    count_nothing_doubtful(view, device);
  }
  if (view.counts && device.counted.empty()) return false;
  device.repetitions = std::max<int64_t>(1, static_cast<int64_t>(device.counted.size()));
  choose_shown(trace, view, device);
  for (const uint32_t index : device.shown()) {
    const Op& op = trace.ops[index];
    ++device.ops_of_kind[static_cast<size_t>(op.kind)];
    device.gpu_time_ns += op.duration_ns;
  }
  account(host, figures, device);
  count_kernels(trace, figures, device);
  return true;
}

}  // namespace

Figures compute_figures(const Trace& trace, const Mined& mined, const FigureOptions& options) {
  Figures figures;
  Categories categories;
  if (!options.categories_path.empty()) {
    const Status added = categories.add_user_file(options.categories_path);
    if (!added.ok()) figures.category_error = added.error();
  }
  figures.category_of_name = categorise(trace, categories);
  figures.category_names = categories.names();
  figures.call_class_of_name = classify_calls(trace);
  figures.framework = framework_of(trace);
  figures.memory = MemoryIndex(trace);

  figures.synchronize_calls = find_synchronize_calls(trace);
  figures.view = options.view;
  const HostRecord host(trace, figures.call_class_of_name);
  const std::vector<StepMarks> marks = find_step_marks(trace);
  std::vector<std::vector<uint32_t>> ops = ops_by_device(trace);
  std::vector<const DeviceMined*> mined_of(ops.size(), nullptr);
  for (const DeviceMined& device : mined.devices) {
    if (device.device < mined_of.size()) mined_of[device.device] = &device;
  }
  for (size_t number = 0; number < ops.size(); ++number) {
    if (ops[number].empty() || (options.view.device && *options.view.device != number)) continue;
    DeviceFigures device;
    device.device = static_cast<uint16_t>(number);
    device.mined = mined_of[number];
    device.ops = std::move(ops[number]);
    device.marked = set_beside(trace, marks, device.ops, device.mined);
    if (fill(host, figures, device)) figures.devices.push_back(std::move(device));
  }
  return figures;
}

}  // namespace deepprof
