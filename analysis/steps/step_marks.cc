#include "analysis/steps/step_marks.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <map>
#include <string_view>
#include <unordered_map>

#include "analysis/device/steps.h"

namespace deepprof {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_letter(char c) { return is_lower(c) || (c >= 'A' && c <= 'Z'); }

std::string lowered(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return lower;
}

// Whether a word of the name is one of these: "train_step" and "TrainStep 5" have "step",
// "timesteps" has not. Not where "_until" follows: JAX's "block_until_ready" is no block.
bool has_word(std::string_view name, std::initializer_list<std::string_view> words) {
  const std::string lower = lowered(name);
  for (const std::string_view word : words) {
    for (size_t at = lower.find(word); at != std::string::npos; at = lower.find(word, at + 1)) {
      const size_t end = at + word.size();
      const bool begins = at == 0 || !is_letter(name[at - 1]) || !is_lower(name[at]);
      const bool ends = end == name.size() || !is_lower(name[end]);
      if (begins && ends && lower.compare(end, 6, "_until") != 0) return true;
    }
  }
  return false;
}

bool has_step_word(std::string_view name) { return has_word(name, {"step", "iteration", "iter"}); }

// What has "step" in its name and is a part of one.
bool is_part_of_step(std::string_view name) {
  const std::string lower = lowered(name);
  for (const std::string_view word : {"optim", "sched", "loader", "zero_grad", "aten::"}) {
    if (lower.find(word) != std::string::npos) return true;
  }
  return false;
}

bool names_layer(std::string_view name) {
  return has_word(name, {"layer", "layers", "block", "blocks"});
}

MarkRank rank_of(RangeSource source, std::string_view name) {
  if (source == RangeSource::step) return MarkRank::step;
  if (source != RangeSource::annotation && source != RangeSource::nvtx) return MarkRank::none;
  if (name.substr(0, 15) == "Optimizer.step#") return MarkRank::optimizer_step;
  if (is_part_of_step(name)) return MarkRank::none;
  if (has_step_word(name)) return MarkRank::named_step;
  return names_layer(name) ? MarkRank::layer : MarkRank::repeated;
}

// The texts between a name's numbers, and the numbers: "epoch 3, step 12" is {"epoch ", ", step ",
// ""} and {"3", "12"}.
struct Numbered {
  std::vector<std::string_view> texts, numbers;

  explicit Numbered(std::string_view name) {
    for (size_t at = 0;;) {
      size_t begin = at;
      while (begin < name.size() && !is_digit(name[begin])) ++begin;
      texts.push_back(name.substr(at, begin - at));
      if (begin == name.size()) return;
      at = begin;
      while (at < name.size() && is_digit(name[at])) ++at;
      numbers.push_back(name.substr(begin, at - begin));
    }
  }
};

// The ranges of one source whose names differ in their numbers alone: a number that differs may
// count steps, epochs or parts.
struct Family {
  MarkRank rank = MarkRank::none;
  std::string_view name;      // of its first range
  std::vector<bool> differs;  // by number of the name
  uint64_t count = 0;
  int64_t total_ns = 0;

  // "resnet50, epoch N, step N": what differs is N.
  std::string marker() const {
    const Numbered parts(name);
    std::string text(parts.texts[0]);
    for (size_t i = 0; i < parts.numbers.size(); ++i) {
      text += differs[i] ? "N" : parts.numbers[i];
      text += parts.texts[i + 1];
    }
    return text;
  }
};

constexpr uint32_t kFewestRepeated = 3;  // ranges of a name that says nothing of steps
constexpr size_t kMostTried = 12;        // families of a rank: each costs a pass

// In this order families are tried.
enum class Trust : uint8_t { marks, told_by_framework, repetition, one_mark };

Trust trust_in(const Family& family) {
  if (family.rank >= MarkRank::repeated) return Trust::repetition;
  // One mark alone says where a profiler was stepped, not where steps are.
  return family.count > 1 ? Trust::marks : Trust::one_mark;
}

bool is_better(const Family& a, const Family& b) {
  if (trust_in(a) != trust_in(b)) return trust_in(a) < trust_in(b);
  if (a.rank != b.rank) return a.rank < b.rank;
  return a.total_ns > b.total_ns;
}

// The family of each (source, name), found once for a name.
class Families {
 public:
  explicit Families(const Trace& trace) : trace_(trace) {
    for (const Range& range : trace.ranges) {
      const uint32_t family = family_of(range);
      if (family == kNone) continue;
      ++families_[family].count;
      families_[family].total_ns += range.duration_ns;
    }
  }

  uint32_t family_of(const Range& range) {
    auto& of_name = of_name_[static_cast<size_t>(range.source)];
    if (of_name.empty()) of_name.assign(trace_.names.size(), kUnknown);
    if (range.name >= of_name.size()) return kNone;
    uint32_t& known = of_name[range.name];
    if (known == kUnknown) known = make(range);
    return known;
  }

  // The likeliest first.
  std::vector<uint32_t> ordered() const {
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < families_.size(); ++i) {
      const Family& family = families_[i];
      if (trust_in(family) != Trust::repetition || family.count >= kFewestRepeated)
        order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
      return is_better(families_[a], families_[b]);
    });
    return order;
  }
  const Family& operator[](uint32_t index) const { return families_[index]; }

 private:
  static constexpr uint32_t kUnknown = kNone - 1;

  uint32_t make(const Range& range) {
    const std::string_view name = trace_.names[range.name];
    const MarkRank rank = rank_of(range.source, name);
    if (rank == MarkRank::none) return kNone;
    const Numbered parts(name);
    // Optimizers have names of their own ("Optimizer.step#Adam.step"), numbers included.
    std::string key = std::to_string(static_cast<int>(range.source)) + '/';
    if (rank == MarkRank::optimizer_step) key += name;
    else
      for (const std::string_view text : parts.texts) (key += text) += '0';
    const auto [found, added] = by_key_.try_emplace(key, static_cast<uint32_t>(families_.size()));
    if (added) families_.push_back({rank, name, std::vector<bool>(parts.numbers.size(), false)});
    Family& family = families_[found->second];
    const Numbered first(family.name);
    for (size_t i = 0; i < parts.numbers.size(); ++i) {
      if (parts.numbers[i] != first.numbers[i]) family.differs[i] = true;
    }
    return found->second;
  }

  const Trace& trace_;
  std::vector<Family> families_;
  std::unordered_map<std::string, uint32_t> by_key_;
  std::array<std::vector<uint32_t>, kRangeSources> of_name_;
};

// A step reaches from the end of one optimizer step to the end of the next.
void between_ends(std::vector<Mark>& marks) {
  std::sort(marks.begin(), marks.end(),
            [](const Mark& a, const Mark& b) { return a.end_ns < b.end_ns; });
  int64_t begin_ns = std::numeric_limits<int64_t>::min();
  for (Mark& mark : marks) {
    mark.start_ns = begin_ns;
    begin_ns = mark.end_ns;
  }
}

std::vector<StepMarks::OfProcess> marks_of(const Trace& trace, Families& families,
                                           uint32_t chosen) {
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Mark>> by_thread;  // (pid, thread)
  for (const Range& range : trace.ranges) {
    if (families.family_of(range) != chosen) continue;
    const uint32_t pid = range.thread < trace.threads.size() ? trace.threads[range.thread].pid : 0;
    by_thread[{pid, range.thread}].push_back({range.start_ns, range.end_ns(), range.name});
  }
  std::vector<StepMarks::OfProcess> processes;
  for (auto& [thread, marks] : by_thread) {
    if (processes.empty() || processes.back().pid != thread.first)
      processes.push_back({thread.first, {}});
    if (marks.size() > processes.back().marks.size()) processes.back().marks = std::move(marks);
  }
  if (families[chosen].rank == MarkRank::optimizer_step) {
    for (StepMarks::OfProcess& process : processes) between_ends(process.marks);
  }
  return processes;
}

// Optimizer steps that our own recorder was told of: samples at their ends.
StepMarks sampled_marks(const Trace& trace) {
  StepMarks result;
  const Steps steps = find_steps(SampleIndex(trace));
  if (steps.windows.empty()) return result;
  result.marker = "optimizer steps told by the framework";
  result.rank = MarkRank::optimizer_step;
  std::vector<Mark> marks{{0, steps.windows.front().start_ns, 0}};
  for (const Window& window : steps.windows) marks.push_back({0, window.end_ns, 0});
  between_ends(marks);
  result.processes.push_back({trace.process.pid, std::move(marks)});
  return result;
}

}  // namespace

std::vector<StepMarks> find_step_marks(const Trace& trace) {
  Families families(trace);
  std::vector<StepMarks> result;
  StepMarks sampled = sampled_marks(trace);
  const auto add_sampled = [&] {
    if (!sampled.marker.empty()) result.push_back(std::move(sampled));
    sampled = {};
  };
  std::array<size_t, static_cast<size_t>(MarkRank::none)> tried{};  // by rank
  for (const uint32_t chosen : families.ordered()) {
    const Family& family = families[chosen];
    if (trust_in(family) > Trust::told_by_framework) add_sampled();
    if (++tried[static_cast<size_t>(family.rank)] > kMostTried) continue;
    const bool numbered =
        std::find(family.differs.begin(), family.differs.end(), true) != family.differs.end();
    result.push_back({family.marker(), family.rank, numbered, marks_of(trace, families, chosen)});
  }
  add_sampled();
  return result;
}

}  // namespace deepprof
