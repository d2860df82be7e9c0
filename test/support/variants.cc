#include "test/support/variants.h"

#include <algorithm>
#include <string>

#include "test/support/edit.h"
#include "test/support/model.h"

namespace deepprof::test {
namespace {

using Variants = std::vector<LabelledTrace>;

Variants one(LabelledTrace trace) {
  Variants result;
  result.push_back(std::move(trace));
  return result;
}

// Every op of all devices, for variants that change ops in place.
Assembly taken_apart(const LabelledTrace& recorded) {
  Assembly assembly;
  LabelledTrace taken = copy(recorded);
  assembly.trace = std::move(taken.trace);
  assembly.step = std::move(taken.step);
  return assembly;
}

void keep(Assembly& assembly, const std::vector<bool>& kept) {
  size_t next = 0;
  for (size_t i = 0; i < kept.size(); ++i) {
    if (!kept[i]) continue;
    assembly.trace.ops[next] = assembly.trace.ops[i];
    assembly.step[next++] = assembly.step[i];
  }
  assembly.trace.ops.resize(next);
  assembly.step.resize(next);
}

template <size_t Steps>
Variants consecutive(const LabelledTrace& recorded, const LabelledTrace&, Random& random) {
  const auto order = launched(recorded);
  const auto steps = step_ranges(recorded, order);
  if (steps.size() <= Steps) return {};
  const auto first = static_cast<size_t>(random.between(0, static_cast<int>(steps.size() - Steps)));
  Assembly assembly;
  assembly.append(recorded, order, steps[first].first, steps[first + Steps - 1].last);
  return one(assembly.finish(recorded.name));
}

// A step without its beginning has no true start any more.
Variants truncated(const LabelledTrace& recorded, const LabelledTrace&, Random& random) {
  const auto order = launched(recorded);
  const auto steps = step_ranges(recorded, order);
  Assembly assembly;
  if (steps.size() < 2) {
    const size_t size = order.size(), first = random.next() % (size / 3 + 1);
    assembly.append(recorded, order, first, size - random.next() % (size / 3 + 1));
    return one(assembly.finish(recorded.name));
  }
  if (steps.size() < 5) return {};
  const size_t left_out = random.next() % (steps.size() - 4);
  const StepRange head = steps[random.next() % (left_out + 1)],
                  tail = steps[steps.size() - 1 - random.next() % (left_out + 1)];
  const size_t first = head.first + random.next() % (head.last - head.first);
  const size_t third = (tail.last - tail.first) / 3,
               last = tail.last - random.next() % (2 * third + 1);
  LabelledTrace marked = copy(recorded);
  for (size_t i = head.first; i < head.last && first > head.first; ++i) marked.step[order[i]] = -1;
  assembly.append(marked, order, first, last);
  if (assembly.steps() < 3) return {};
  return one(assembly.finish(recorded.name));
}

Variants numbers(const LabelledTrace& recorded, const LabelledTrace&, Random&) {
  LabelledTrace result = copy(recorded);
  hide_names(result);
  return one(std::move(result));
}

// Names as tools shorten them: without arguments of templates and functions.
Variants short_names(const LabelledTrace& recorded, const LabelledTrace&, Random&) {
  Assembly assembly = taken_apart(recorded);
  for (Op& op : assembly.trace.ops) {
    if (op.kind != Kind::kernel) continue;
    std::string name(assembly.trace.names[op.name]);
    name = name.substr(0, name.find_first_of("<("));
    name = name.substr(name.rfind(':') == std::string::npos ? 0 : name.rfind(':') + 1);
    op.name = assembly.trace.names.intern(name.empty() ? "kernel" : name);
  }
  return one(assembly.finish(recorded.name));
}

template <int PerMille>
Variants lost_ops(const LabelledTrace& recorded, const LabelledTrace&, Random& random) {
  Assembly assembly = taken_apart(recorded);
  std::vector<bool> kept;
  for (size_t i = 0; i < assembly.trace.ops.size(); ++i)
    kept.push_back(!random.chance(PerMille / 1000.0));
  keep(assembly, kept);
  return one(assembly.finish(recorded.name));
}

Variants busiest_stream(const LabelledTrace& recorded, const LabelledTrace&, Random&) {
  Assembly assembly = taken_apart(recorded);
  std::vector<std::pair<uint32_t, size_t>> counts;
  for (const Op& op : assembly.trace.ops) {
    auto found = std::find_if(counts.begin(), counts.end(),
                              [&](const auto& count) { return count.first == op.stream; });
    if (found == counts.end()) found = counts.insert(counts.end(), {op.stream, 0});
    ++found->second;
  }
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  std::vector<bool> kept;
  for (const Op& op : assembly.trace.ops) kept.push_back(op.stream == most->first);
  keep(assembly, kept);
  return one(assembly.finish(recorded.name));
}

Variants without_ids(const LabelledTrace& recorded, const LabelledTrace&, Random&) {
  Assembly assembly = taken_apart(recorded);
  for (Op& op : assembly.trace.ops) op.correlation = 0;
  return one(assembly.finish(recorded.name));
}

Variants without_calls(const LabelledTrace& recorded, const LabelledTrace&, Random&) {
  Assembly assembly = taken_apart(recorded);
  assembly.trace.calls.clear();
  return one(assembly.finish(recorded.name));
}

Variants device_ops_alone(const LabelledTrace& recorded, const LabelledTrace&, Random&) {
  Assembly assembly = taken_apart(recorded);
  assembly.trace.calls.clear();
  for (Op& op : assembly.trace.ops) op.correlation = 0;
  return one(assembly.finish(recorded.name));
}

Variants without_copies(const LabelledTrace& recorded, const LabelledTrace&, Random&) {
  Assembly assembly = taken_apart(recorded);
  std::vector<bool> kept;
  for (const Op& op : assembly.trace.ops) kept.push_back(op.kind == Kind::kernel);
  keep(assembly, kept);
  return one(assembly.finish(recorded.name));
}

template <int64_t Grain_ns>
Variants rounded(const LabelledTrace& recorded, const LabelledTrace&, Random&) {
  Assembly assembly = taken_apart(recorded);
  const auto round = [](auto& row) {
    const int64_t end = row.end_ns() / Grain_ns * Grain_ns;
    row.start_ns = row.start_ns / Grain_ns * Grain_ns;
    row.duration_ns = std::max<int64_t>(0, end - row.start_ns);
  };
  for (Op& op : assembly.trace.ops) round(op);
  for (HostCall& call : assembly.trace.calls) round(call);
  return one(assembly.finish(recorded.name));
}

template <int Numerator, int Denominator>
Variants stretched(const LabelledTrace& recorded, const LabelledTrace&, Random&) {
  Assembly assembly = taken_apart(recorded);
  const int64_t origin = assembly.trace.ops.front().start_ns;
  const auto stretch = [&](auto& row) {
    row.start_ns = origin + (row.start_ns - origin) / Denominator * Numerator;
    row.duration_ns = row.duration_ns / Denominator * Numerator;
  };
  std::erase_if(assembly.trace.calls, [&](const HostCall& call) { return call.start_ns < 0; });
  for (Op& op : assembly.trace.ops) stretch(op);
  for (HostCall& call : assembly.trace.calls) stretch(call);
  return one(assembly.finish(recorded.name));
}

// Two ranks of one job, seen by one tracer: ids are drawn from one counter.
Variants two_devices(const LabelledTrace& recorded, const LabelledTrace&, Random& random) {
  if (devices_with_ops(recorded.trace).size() != 1) return {};
  Assembly assembly = taken_apart(recorded);
  const size_t ops = assembly.trace.ops.size(), calls = assembly.trace.calls.size();
  const int64_t later = random.between(0, 2'000'000);
  for (size_t i = 0; i < ops; ++i) {
    Op& op = assembly.trace.ops[i];
    op.correlation *= 2;
    Op twin = op;
    if (twin.correlation != 0) ++twin.correlation;
    twin.start_ns += later;
    ++twin.device;
    assembly.trace.ops.push_back(twin);
    assembly.step.push_back(assembly.step[i]);
  }
  for (size_t i = 0; i < calls; ++i) {
    HostCall& call = assembly.trace.calls[i];
    call.correlation *= 2;
    HostCall twin = call;
    if (twin.correlation != 0) ++twin.correlation;
    twin.start_ns += later;
    assembly.trace.calls.push_back(twin);
  }
  return one(assembly.finish(recorded.name));
}

// The second job sets itself up first: copies of what it needs. Each job is asked for alone: the
// cut may lie at another place in the other's steps.
Variants and_then(const LabelledTrace& recorded, const LabelledTrace& other, Random& random) {
  const auto order = launched(recorded), behind = launched(other);
  Job setting_up(random.next());
  for (int i = setting_up.random.between(60, 200); i > 0; --i) {
    setting_up.run({.name = "Memcpy HtoD (Pageable -> Device)",
                    .us = 8,
                    .kind = Kind::memcpy,
                    .copy = CopyKind::host_to_device});
  }
  const LabelledTrace set_up = setting_up.finish("set-up");
  Assembly assembly;
  assembly.append(recorded, order, 0, order.size());
  const int first_steps = assembly.steps();
  assembly.append(set_up, launched(set_up), 0, set_up.trace.ops.size());
  assembly.append(other, behind, 0, behind.size());
  LabelledTrace joined = assembly.finish(recorded.name + " + " + other.name), second = copy(joined);
  for (int& step : joined.step) step = step < first_steps ? step : -1;
  for (int& step : second.step) step = step >= first_steps ? step : -1;
  Variants result = one(std::move(joined));
  result.push_back(std::move(second));
  return result;
}

// Behind every few steps, evaluation: the first third of a step, again and again, and a result
// read.
Variants evaluations(const LabelledTrace& recorded, const LabelledTrace&, Random& random) {
  const auto order = launched(recorded);
  const auto steps = step_ranges(recorded, order);
  if (steps.size() < 3) return {};
  Job reading(1);
  reading.run({.name = "Memcpy DtoH (Device -> Pageable)",
               .us = 2,
               .kind = Kind::memcpy,
               .copy = CopyKind::device_to_host});
  const LabelledTrace read_back = reading.finish("result");
  const size_t every = 3 + random.next() % 6, batches = 1 + random.next() % 4;
  Assembly assembly;
  for (size_t i = 0; i < 3 * every; ++i) {
    const StepRange& step = steps[random.next() % steps.size()];
    assembly.append_as_step(recorded, order, step.first, step.last);
    if ((i + 1) % every != 0) continue;
    const StepRange& evaluated = steps.back();
    for (size_t batch = 0; batch < batches; ++batch) {
      assembly.append_as_step(recorded, order, evaluated.first,
                              evaluated.first + (evaluated.last - evaluated.first) / 3);
      assembly.append(read_back, {0}, 0, 1);
      assembly.step.back() = assembly.steps() - 1;
    }
  }
  return one(assembly.finish(recorded.name));
}

// A compiler tries kernels before the first step: its own and the job's, in no order, for as long
// as one to five steps take.
Variants warmed_up(const LabelledTrace& recorded, const LabelledTrace&, Random& random) {
  const auto order = launched(recorded);
  const auto steps = step_ranges(recorded, order);
  if (steps.size() < 3) return {};
  Job tuning(random.next());
  const Launches trials = draw_launches(tuning.random, 60, 60, "trial");
  const auto tries =
      static_cast<int>((1 + random.next() % 5) * (steps[0].last - steps[0].first) / 12);
  for (int i = 0; i < tries; ++i) {
    Launch tried = trials[tuning.random.next() % trials.size()];
    if (tuning.random.chance(.4))
      tried.name =
          recorded.trace.names[recorded.trace.ops[order[tuning.random.next() % order.size()]].name];
    for (int again = tuning.random.between(2, 25); again > 0; --again) tuning.run(tried);
    if (tuning.random.chance(.2)) tuning.sync();
  }
  const LabelledTrace warm_up = tuning.finish("tuning");
  Assembly assembly;
  assembly.append(warm_up, launched(warm_up), 0, warm_up.trace.ops.size());
  assembly.append(recorded, order, 0, order.size());
  return one(assembly.finish(recorded.name));
}

// Each step is one launch of a graph.
Variants graph_launches(const LabelledTrace& recorded, const LabelledTrace&, Random&) {
  const auto order = launched(recorded);
  const auto steps = step_ranges(recorded, order);
  if (steps.size() < 3) return {};
  Assembly assembly = taken_apart(recorded);
  for (const StepRange& step : steps) {
    const uint32_t launch = assembly.trace.ops[order[step.first]].correlation;
    uint32_t node = 0;
    for (size_t i = step.first; i < step.last; ++i) {
      Op& op = assembly.trace.ops[order[i]];
      op.correlation = launch;
      op.graph_node = ++node;
    }
  }
  return one(assembly.finish(recorded.name));
}

constexpr Variant kVariants[] = {
    {"as recorded", true,
     [](const LabelledTrace& recorded, const LabelledTrace&, Random&) {
       return one(copy(recorded));
     }},
    {"3 steps", false, consecutive<3>},
    {"4 steps", false, consecutive<4>},
    {"5 steps", false, consecutive<5>},
    {"8 steps", false, consecutive<8>},
    {"cut at random places", true, truncated},
    {"names are numbers", true, numbers},
    {"names without arguments", true, short_names},
    {"1 % of the ops lost", true, lost_ops<10>},
    {"5 % of the ops lost", true, lost_ops<50>},
    {"the busiest stream alone", true, busiest_stream},
    {"no correlation ids", true, without_ids},
    {"no host calls", true, without_calls},
    {"neither ids nor calls", true, device_ops_alone},
    {"kernels alone", true, without_copies},
    {"times in us", true, rounded<1000>},
    {"7 times as slow", true, stretched<7, 1>},
    {"10 times as fast", true, stretched<1, 10>},
    {"two devices", true, two_devices},
    {"another job behind it", false, and_then},
    {"evaluations in between", false, evaluations},
    {"a compiler's trials before", false, warmed_up},
    {"each step a graph launch", false, graph_launches},
};

}  // namespace

std::span<const Variant> variants() { return kVariants; }

}  // namespace deepprof::test
