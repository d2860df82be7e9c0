// The tables behind the report and the verbs: one function a section, figures in, a typed table
// out. Column names are stable: people's scripts read them.
//
// Names of kernels are written short for people and whole for programs; `Names` says which.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/findings/findings.h"
#include "analysis/findings/slow.h"
#include "analysis/gaps/hta_idle.h"
#include "analysis/report/figures.h"
#include "analysis/report/table.h"

namespace deepprof {

enum class Names : uint8_t { short_form, raw };
std::string name_text(std::string_view name, Names names);
std::string annotation_text(std::string_view name, Names names);
std::string finding_text(FindingKind kind, Names names);  // "input_bound", "input bound"

// The names of a trace as a table shows them, each made once: to shorten one for people costs more
// than to find a gap.
class ShownNames {
 public:
  ShownNames(const Trace& trace, Names names) : trace_(trace), names_(names) {}
  const std::string& of(NameId name);

 private:
  const Trace& trace_;
  Names names_;
  std::unordered_map<NameId, std::string> shown_;
};

// What runs, waits and idles: a row for the run, for each section and for the mean iteration of a
// device.
Table breakdown_table(const Figures& figures);

// Fewer iterations than this have no tail and no trend worth a figure.
inline constexpr uint64_t kFewestForTrend = 20;

// A row for each device that has iterations: how many, how long, how sure.
Table iteration_times_table(const Figures& figures);

// Where the recording ends without some of its ops: which part the figures leave out, and why. No
// rows, and no text, where it is whole.
std::string tails_text(const Trace& trace, const Figures& figures);
Table tails_table(const Trace& trace, const Figures& figures);

// A row for each device: the steps that the job marked, beside its iterations. No rows where none
// are marked.
Table marked_steps_table(const Figures& figures);
// The same in words: "6 steps (ProfilerStep#N), 6 of 6 match an iteration, ...". Empty: none
// marked.
std::string marked_steps_text(const DeviceFigures& device);

// The iteration that a row is of: numbers skip, and may repeat, so they do not tell.
struct IterationOfRow {
  const DeviceFigures* device;
  size_t index;  // into DeviceFigures::iterations
};

// A row for each iteration, with its account: parts that sum to duration_ns, idle time by cause,
// slow or not and what grew. For people (Names::short_form) without the columns that only programs
// read. Of a million iterations the cells need not be there at once. `figures` must outlive it.
class IterationRows {
 public:
  IterationRows(const Figures& figures, Names names, bool only_slow = false);

  const std::vector<IterationOfRow>& all() const { return rows_; }
  // Of all rows, or of some.
  Table table() const { return table(rows_); }
  Table table(std::span<const IterationOfRow> rows) const;

 private:
  std::vector<Cell> cells(const IterationOfRow& row) const;

  struct Marks {
    SlowFigures slow;
    std::vector<uint32_t> slow_of;  // by iteration: index into slow.slow; kNone: not slow
    std::vector<bool> counted;
  };
  bool whole_;
  std::unordered_map<const DeviceFigures*, Marks> marks_;
  std::vector<IterationOfRow> rows_;
};

// Idle time of the basis by cause.
Table idle_table(const Trace& trace, const Figures& figures, Names names);

// What the launching threads were at during "host outside CUDA": a row for each annotation that
// gaps lie in. No rows where none were recorded.
Table host_doing_table(const Trace& trace, const Figures& figures, Names names);

struct GapSelection {
  int64_t min_ns = 0;
  std::string
      cause;  // a key or the words of a cause, or "host" for the three host waits; empty: all
};
// True if `selection.cause` names something.
bool is_known_cause(const std::string& cause);
// Every gap, cut at the borders of iterations so that rows of an iteration sum to its idle time;
// largest first.
Table gaps_table(const Trace& trace, const Figures& figures, const GapSelection& selection,
                 Names names);

// HolisticTraceAnalysis' own classes, per stream.
Table hta_table(const Trace& trace);

// A row for each kernel (or category) with its time in the basis; most time first. `keep`, where
// given, says which kernels are meant; a kernel's share is of all of them all the same.
using KeepKernel = std::function<bool(const KernelFigures&)>;
Table kernels_table(const Trace& trace, const Figures& figures, Names names,
                    const KeepKernel& keep = {});
Table categories_table(const Figures& figures);

// A row for each stream: what runs on it, how long ops wait for their turn, how many are queued.
Table streams_table(const Trace& trace, const Figures& figures);

// A row for each direction and kinds of memory; or for each power of two of the size.
Table memcpy_table(const Trace& trace, const Figures& figures);
Table memcpy_sizes_table(const Trace& trace, const Figures& figures);

// A row for each blocking function: host time in it, and how much of that the GPU idled.
Table sync_table(const Trace& trace, const Figures& figures);

// An iteration beside the typical one: its parts, and its ops aligned with the other's in launch
// order. Precondition: `iteration` is an index into the device's mined iterations.
Table iteration_parts_table(const DeviceFigures& device, uint32_t iteration,
                            const SlowFigures& slow);
Table iteration_ops_table(const Trace& trace, const DeviceFigures& device, uint32_t iteration,
                          uint32_t typical, Names names);

// Everything that touches the window of an iteration (kNone: the whole run): streams, host threads,
// gaps with their causes, as intervals on lanes.
Table timeline_table(const Trace& trace, const Figures& figures, const DeviceFigures& device,
                     uint32_t iteration, Names names);
// The same as a drawing of one line a lane, at most `width` columns.
std::string timeline_text(const Trace& trace, const Figures& figures, const DeviceFigures& device,
                          uint32_t iteration, int width);

// The verdicts of findings.h.
Table findings_table(const Trace& trace, const Figures& figures, Names names);

}  // namespace deepprof
