// The end of a recording of which ops may lack.
#include "analysis/report/page.h"
#include "analysis/report/quantity.h"
#include "analysis/report/sections.h"
#include "analysis/report/units.h"

namespace deepprof {
namespace {

// Whose ops are missing.
std::string lane_text(const Trace& trace, const Tail& tail) {
  if (!tail.of_thread) return "of stream " + std::to_string(tail.lane);
  if (tail.lane >= trace.threads.size()) return "that one thread launched";
  return "that thread " + std::to_string(trace.threads[tail.lane].tid) + " launched";
}

}  // namespace

std::string tail_text(const Trace& trace, const Tail& tail, bool name_device) {
  return "the last " + time_text(tail.end_ns - tail.start_ns) +
         (name_device ? " of GPU " + std::to_string(tail.device) : "") + " (" +
         count_text(static_cast<int64_t>(tail.ops)) + " GPU op" + plural(tail.ops) +
         ") left out of iterations and idle time: ops " + lane_text(trace, tail) +
         " may be missing there";
}

Table tails_table(const Trace& trace, const Figures& figures) {
  Table table;
  table.name = "left_out_at_end";
  table.title = "LEFT OUT AT THE END";
  table.columns = {{"device", Unit::none, ""},
                   {"start_ns", Unit::none, "start"},  // instants in the trace's clock, not lengths
                   {"end_ns", Unit::none, "end"},
                   {"duration_ns", Unit::nanoseconds, "duration"},
                   {"ops", Unit::count, ""},
                   {"reason", Unit::none, ""}};
  for (const Tail& tail : trace.tails) {
    if (figures_of(figures, tail.device) == nullptr) continue;
    table.rows.push_back({int64_t{tail.device}, tail.start_ns, tail.end_ns,
                          tail.end_ns - tail.start_ns, static_cast<int64_t>(tail.ops),
                          "ops " + lane_text(trace, tail) + " may be missing"});
  }
  return table;
}

}  // namespace deepprof
