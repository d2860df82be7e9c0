// Every gap with its cause and evidence.
#include <algorithm>

#include "analysis/report/counted_text.h"
#include "analysis/report/sections.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

bool selects(const GapSelection& selection, Cause cause) {
  const CauseInfo& info = cause_info(cause);
  return selection.cause.empty() || selection.cause == info.key || selection.cause == info.words ||
         (selection.cause == "host" && info.host_wait);
}

// What tells most about a gap: the call, the annotation, or the op on another stream that was
// waited for.
std::string evidence_of(const Trace& trace, const Gap& gap, Names names, ShownNames& shown) {
  if (gap.call != 0) return shown.of(gap.call);
  if (gap.range != 0) return annotation_text(trace.names[gap.range], names);
  if (gap.after == kNone) return "nothing follows";
  if (gap.cause != Cause::dependency_wait || gap.before == kNone) return {};
  const Op& before = trace.ops[gap.before];
  const Op& after = trace.ops[gap.after];
  return before.stream == after.stream
             ? ""
             : format_text("stream %u waits for stream %u", after.stream, before.stream);
}

struct Piece {
  Gap gap;  // clipped
  uint32_t iteration = kNone;
};

// Whether the view shows what lies in an iteration, or in none (kNone).
class Shown {
 public:
  explicit Shown(const DeviceFigures& device) : all_(!device.iterations_named) {
    if (all_) return;
    named_.assign(device.mined->iterations.size(), false);
    for (const uint32_t i : device.counted) named_[i] = true;
  }
  bool holds(uint32_t iteration) const { return all_ || (iteration != kNone && named_[iteration]); }

 private:
  bool all_;
  std::vector<bool> named_;  // by iteration
};

// Cuts a gap at the borders of iterations: what lies in none is a piece of its own.
class Cutter {
 public:
  explicit Cutter(const DeviceFigures& device) {
    if (device.mined != nullptr) iterations_ = &device.mined->iterations;
  }
  template <typename Visit>
  void cut(const Gap& gap, Visit visit) {
    int64_t at = gap.start_ns;
    const auto emit = [&](int64_t to, uint32_t iteration) {
      if (to <= at) return;
      Piece piece{gap, iteration};
      piece.gap.start_ns = at;
      piece.gap.end_ns = to;
      visit(piece);
      at = to;
    };
    const size_t count = iterations_ == nullptr ? 0 : iterations_->size();
    while (first_ < count && (*iterations_)[first_].end_ns <= gap.start_ns) ++first_;
    for (size_t i = first_; i < count && (*iterations_)[i].start_ns < gap.end_ns; ++i) {
      emit((*iterations_)[i].start_ns, kNone);
      emit(std::min(gap.end_ns, (*iterations_)[i].end_ns), static_cast<uint32_t>(i));
    }
    emit(gap.end_ns, kNone);
  }

 private:
  const std::vector<Iteration>* iterations_ = nullptr;
  size_t first_ = 0;
};

}  // namespace

bool is_known_cause(const std::string& cause) {
  if (cause == "host") return true;
  for (size_t i = 0; i < kCauses; ++i) {
    const CauseInfo& info = cause_info(static_cast<Cause>(i));
    if (cause == info.key || cause == info.words) return true;
  }
  return false;
}

Table gaps_table(const Trace& trace, const Figures& figures, const GapSelection& selection,
                 Names names) {
  Table table;
  table.name = "gaps";
  // Programs read instants of the trace's clock; people the time since the first GPU op, as --from
  // takes it.
  const bool instants = names == Names::raw;
  table.columns = {{"device", Unit::none, ""}, {"iteration", Unit::none, ""}};
  if (instants) {
    table.columns.push_back({"start_ns", Unit::none, "start"});
    table.columns.push_back({"end_ns", Unit::none, "end"});
  } else {
    table.columns.push_back({"at_ns", Unit::nanoseconds, "at"});
  }
  table.columns.insert(table.columns.end(), {{"duration_ns", Unit::nanoseconds, "duration"},
                                             {"cause", Unit::none, ""},
                                             {"evidence", Unit::none, ""},
                                             {"op_before", Unit::none, "op before"},
                                             {"op_after", Unit::none, "op after"}});
  const HostRecord host(trace, figures.call_class_of_name);
  ShownNames op_names(trace, names);
  for (const DeviceFigures& device : figures.devices) {
    std::vector<Piece> pieces;
    Cutter cutter(device);
    const Shown shown(device);
    for_each_gap(
        host, device.ops,
        [&](const Gap& gap) {
          Gap inside = gap;
          inside.start_ns = std::max(gap.start_ns, device.span.start_ns);
          inside.end_ns = std::min(gap.end_ns, device.span.end_ns);
          if (inside.end_ns <= inside.start_ns) return;
          cutter.cut(inside, [&](const Piece& piece) {
            if (piece.gap.duration_ns() >= selection.min_ns && selects(selection, gap.cause) &&
                shown.holds(piece.iteration))
              pieces.push_back(piece);
          });
        },
        device.span);
    std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
      return a.gap.duration_ns() > b.gap.duration_ns();
    });
    for (const Piece& piece : pieces) {
      std::vector<Cell> row{int64_t{device.device}};
      if (piece.iteration == kNone) row.emplace_back(NotAvailable{"in no iteration"});
      else row.emplace_back(device.number_of(piece.iteration));
      if (instants) {
        row.emplace_back(piece.gap.start_ns);
        row.emplace_back(piece.gap.end_ns);
      } else {
        row.emplace_back(piece.gap.start_ns - trace.ops.front().start_ns);
      }
      row.emplace_back(piece.gap.duration_ns());
      row.emplace_back(std::string(cause_info(piece.gap.cause).words));
      row.emplace_back(evidence_of(trace, piece.gap, names, op_names));
      for (const uint32_t op : {piece.gap.before, piece.gap.after}) {
        if (op == kNone)
          row.emplace_back(NotAvailable{"none: an end of the run, or events are missing"});
        else row.emplace_back(op_names.of(trace.ops[op].name));
      }
      table.rows.push_back(std::move(row));
    }
  }
  table.notes = {shown_note(figures)};
  return table;
}

Table hta_table(const Trace& trace) {
  Table table;
  table.name = "hta_idle";
  table.columns = {{"device", Unit::none, ""},
                   {"stream", Unit::none, ""},
                   {"cause", Unit::none, "class"},
                   {"total_ns", Unit::nanoseconds, "total"},
                   {"share_ratio", Unit::ratio, "of the stream's idle"}};
  const std::vector<std::vector<uint32_t>> ops = ops_by_device(trace);
  for (size_t device = 0; device < ops.size(); ++device) {
    for (const HtaIdle& stream : hta_idle(trace, ops[device])) {
      const int64_t all = stream.host_wait_us + stream.kernel_wait_us + stream.other_us;
      const auto add = [&](const char* name, int64_t us) {
        std::vector<Cell> row{static_cast<int64_t>(device), int64_t{stream.stream},
                              std::string(name), us * 1000};
        if (all > 0) row.emplace_back(static_cast<double>(us) / static_cast<double>(all));
        else row.emplace_back(NotAvailable{"never idle"});
        table.rows.push_back(std::move(row));
      };
      add("host wait", stream.host_wait_us);
      add("kernel wait", stream.kernel_wait_us);
      add("other", stream.other_us);
    }
  }
  table.notes = {
      "HolisticTraceAnalysis' rule: stream by stream, whole microseconds, ops without launch "
      "record left out"};
  return table;
}

}  // namespace deepprof
