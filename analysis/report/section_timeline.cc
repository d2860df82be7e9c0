// A timeline of intervals on lanes, as a table and as a drawing.
#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "analysis/report/quantity.h"
#include "analysis/report/sections.h"
#include "analysis/report/utf8.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

struct Span {
  int64_t start_ns = 0, end_ns = 0;
  const char* kind = "";  // kernel, communication, memcpy, memset, gap, launch, blocking, call
  std::string name;
};

struct Track {
  std::string name;
  std::vector<Span> spans;  // by start
};

const char* kind_word(Activity activity) {
  constexpr std::array<const char*, kActivities> kWords{"kernel", "communication", "memcpy",
                                                        "memset"};
  return kWords[static_cast<size_t>(activity)];
}

const char* kind_word(CallClass call) {
  return call == CallClass::launch ? "launch" : call == CallClass::blocking ? "blocking" : "call";
}

Window window_of(const DeviceFigures& device, uint32_t iteration) {
  if (iteration == kNone) return device.span;
  return {device.mined->iterations[iteration].start_ns, device.mined->iterations[iteration].end_ns};
}

// Named threads keep their number too: many have the same name ("python").
std::string thread_name(const Trace& trace, uint32_t index) {
  const Thread thread = index < trace.threads.size() ? trace.threads[index] : Thread{};
  const std::string number = std::to_string(static_cast<int64_t>(thread.tid));
  if (thread.name.empty()) return "thread " + number;
  const bool says_thread = thread.name.find("hread") != std::string::npos;
  const bool says_number = thread.name.find(number) != std::string::npos;
  return (says_thread ? "" : "thread ") + thread.name + (says_number ? "" : " " + number);
}

// What touches the window, clipped to it: the streams, the gaps, then the threads that made calls.
// A call's lane begins early enough to show the launches of the window's ops.
std::vector<Track> lanes_of(const Trace& trace, const Figures& figures, const DeviceFigures& device,
                            Window window, Names names) {
  std::map<uint32_t, Track> streams, threads;
  ShownNames shown(trace, names);
  const auto clip = [&](Span span, std::vector<Span>& out) {
    span.start_ns = std::max(span.start_ns, window.start_ns);
    span.end_ns = std::min(span.end_ns, window.end_ns);
    if (span.end_ns > span.start_ns) out.push_back(std::move(span));
  };
  for (const uint32_t index : device.ops) {
    const Op& op = trace.ops[index];
    if (op.start_ns >= window.end_ns) break;
    if (op.end_ns() <= window.start_ns) continue;
    Track& lane = streams[op.stream];
    lane.name = format_text("stream %u", op.stream);
    clip({op.start_ns, op.end_ns(), kind_word(activity_of(op, figures.category_of_name)),
          shown.of(op.name)},
         lane.spans);
  }
  Track gaps{"GPU idle", {}};
  for_each_gap(trace, device.ops, figures.call_class_of_name, [&](const Gap& gap) {
    clip({gap.start_ns, gap.end_ns, "gap", cause_info(gap.cause).words}, gaps.spans);
  });
  for (const Hole& hole : holes_of(trace, device.device)) {
    clip({hole.start_ns, hole.end_ns, "hole", "not recorded"}, gaps.spans);
  }
  for (const HostCall& call : trace.calls) {
    if (call.start_ns >= window.end_ns) break;
    if (call.end_ns() <= window.start_ns || call.kind != Kind::api_call) continue;
    Track& lane = threads[call.thread];
    if (lane.name.empty()) { lane.name = thread_name(trace, call.thread); }
    clip({call.start_ns, call.end_ns(), kind_word(figures.call_class_of_name[call.name]),
          std::string(trace.names[call.name])},
         lane.spans);
  }
  std::vector<Track> lanes;
  for (auto& [stream, lane] : streams) lanes.push_back(std::move(lane));
  lanes.push_back(std::move(gaps));
  for (auto& [thread, lane] : threads) lanes.push_back(std::move(lane));
  return lanes;
}

struct Mark {
  const char* kind;
  const char* name;  // of gaps: the cause; else null
  char letter;
  const char* meaning;
};
constexpr std::array<Mark, 17> kMarks{{{"kernel", nullptr, '#', "compute"},
                                       {"communication", nullptr, '=', "communication"},
                                       {"memcpy", nullptr, 'c', "memcpy"},
                                       {"memset", nullptr, 's', "memset"},
                                       {"gap", "host outside CUDA", 'O', "host outside CUDA"},
                                       {"gap", "host launch-bound", 'L', "launch-bound"},
                                       {"gap", "host blocked in CUDA", 'B', "blocked in CUDA"},
                                       {"gap", "dependency wait", 'D', "dependency wait"},
                                       {"gap", "kernel wait", 'k', "kernel wait"},
                                       {"gap", "graph replay", 'g', "graph replay"},
                                       {"gap", "profiler overhead", 'P', "profiler"},
                                       {"gap", "unattributed", '?', "unattributed"},
                                       {"part", nullptr, '.', "idle for less than half"},
                                       {"hole", nullptr, 'x', "not recorded"},
                                       {"launch", nullptr, 'l', "launching call"},
                                       {"blocking", nullptr, 'b', "blocking call"},
                                       {"call", nullptr, 'a', "other call"}}};

constexpr size_t kPart = 12;
static_assert(kMarks[kPart].letter == '.');

size_t mark_of(const Span& span) {
  for (size_t i = 0; i < kMarks.size(); ++i) {
    if (std::string_view(kMarks[i].kind) != span.kind) continue;
    if (kMarks[i].name == nullptr || span.name == kMarks[i].name) return i;
  }
  return 0;
}

// Each cell shows what covers most of it; blank where that is less than half a percent of the cell.
// A GPU that computes with short pauses between is not idle: of a gap there must be half a cell.
std::string drawing_of(const Track& lane, Window window, size_t cells,
                       std::array<bool, kMarks.size()>& used) {
  std::vector<std::array<int64_t, kMarks.size()>> covered(cells);
  const double cell_ns =
      static_cast<double>(window.end_ns - window.start_ns) / static_cast<double>(cells);
  for (const Span& span : lane.spans) {
    const size_t mark = mark_of(span);
    const auto cell_at = [&](int64_t time) {
      return std::min(cells - 1,
                      static_cast<size_t>(static_cast<double>(time - window.start_ns) / cell_ns));
    };
    for (size_t cell = cell_at(span.start_ns); cell <= cell_at(span.end_ns - 1); ++cell) {
      const auto from = window.start_ns + static_cast<int64_t>(cell_ns * static_cast<double>(cell));
      const auto to =
          window.start_ns + static_cast<int64_t>(cell_ns * static_cast<double>(cell + 1));
      covered[cell][mark] +=
          std::max<int64_t>(0, std::min(span.end_ns, to) - std::max(span.start_ns, from));
    }
  }
  std::string text;
  for (const auto& cell : covered) {
    const auto most = std::max_element(cell.begin(), cell.end());
    if (static_cast<double>(*most) < 0.005 * cell_ns || *most == 0) {
      text += ' ';
      continue;
    }
    auto mark = static_cast<size_t>(most - cell.begin());
    const auto idle_ns = std::accumulate(cell.begin(), cell.end(), int64_t{0});
    if (kMarks[mark].kind == std::string_view("gap") &&
        static_cast<double>(idle_ns) < 0.5 * cell_ns)
      mark = kPart;
    used[mark] = true;
    text += kMarks[mark].letter;
  }
  return text;
}

// "GPU 3  iteration 12, 76.8 ms": what is shown.
std::string shown_words(const Figures& figures, const DeviceFigures& device, uint32_t iteration) {
  const Window window = window_of(device, iteration);
  const std::string what = iteration != kNone
                               ? "iteration " + std::to_string(device.number_of(iteration))
                           : figures.view.within ? "a stretch"
                                                 : "whole run";
  return format_text("GPU %u  %s, %s", device.device, what.c_str(),
                     time_text(window.end_ns - window.start_ns).c_str());
}

}  // namespace

Table timeline_table(const Trace& trace, const Figures& figures, const DeviceFigures& device,
                     uint32_t iteration, Names names) {
  Table table;
  table.notes = {shown_words(figures, device, iteration)};
  table.name = "timeline";
  table.columns = {{"lane", Unit::none, ""},
                   {"kind", Unit::none, ""},
                   {"start_ns", Unit::none, "start"},  // an instant
                   {"duration_ns", Unit::nanoseconds, "duration"},
                   {"name", Unit::none, ""}};
  for (const Track& lane : lanes_of(trace, figures, device, window_of(device, iteration), names)) {
    for (const Span& span : lane.spans) {
      table.rows.push_back({lane.name, std::string(span.kind), span.start_ns,
                            span.end_ns - span.start_ns, span.name});
    }
  }
  return table;
}

std::string timeline_text(const Trace& trace, const Figures& figures, const DeviceFigures& device,
                          uint32_t iteration, int width) {
  const Window window = window_of(device, iteration);
  const auto lanes = lanes_of(trace, figures, device, window, Names::short_form);
  size_t label = 0;
  for (const Track& lane : lanes)
    label = std::max(label, std::min<size_t>(24, static_cast<size_t>(display_width(lane.name))));
  const size_t cells = std::max<size_t>(
      20, static_cast<size_t>(std::max(0, width)) -
              std::min<size_t>(static_cast<size_t>(std::max(0, width)), label + 4));
  std::array<bool, kMarks.size()> used{};
  std::string text = shown_words(figures, device, iteration) + "; one column is " +
                     time_text((window.end_ns - window.start_ns) / static_cast<int64_t>(cells)) +
                     "\n";
  for (const Track& lane : lanes) {
    std::string name = fit_width(lane.name, static_cast<int>(label));
    name.append(label - std::min(label, static_cast<size_t>(display_width(name))), ' ');
    text += name + " |" + drawing_of(lane, window, cells, used) + "|\n";
  }
  std::string key;
  std::string line;
  for (size_t i = 0; i < kMarks.size(); ++i) {
    if (!used[i]) continue;
    const std::string entry = std::string(1, kMarks[i].letter) + " " + kMarks[i].meaning;
    if (!line.empty() &&
        line.size() + entry.size() + 2 > static_cast<size_t>(std::max(40, width))) {
      key += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : "  ") + entry;
  }
  return text + key + line + "\n";
}

}  // namespace deepprof
