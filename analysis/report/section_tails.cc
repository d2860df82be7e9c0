// The end of a recording of which ops may lack.
#include <algorithm>
#include <string>
#include <vector>

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

std::string length_text(const Tail& tail) {
  return "the last " + time_text(tail.end_ns - tail.start_ns);
}

std::string ops_text(const Tail& tail) {
  return count_text(static_cast<int64_t>(tail.ops)) + " GPU op" + plural(tail.ops);
}

constexpr const char* kLeftOut = " left out of iterations and idle time: ops ";

}  // namespace

std::string tails_text(const Trace& trace, const Figures& figures) {
  constexpr size_t kMostNamed = 3;
  std::vector<const Tail*> tails;
  for (const Tail& tail : trace.tails)
    if (figures_of(figures, tail.device) != nullptr) tails.push_back(&tail);
  if (tails.empty()) return {};
  if (figures.devices.size() == 1)
    return length_text(*tails[0]) + " (" + ops_text(*tails[0]) + ")" + kLeftOut +
           lane_text(trace, *tails[0]) + " may be missing there";
  // Those of many GPUs are one line, the longest first.
  std::stable_sort(tails.begin(), tails.end(), [](const Tail* a, const Tail* b) {
    return a->end_ns - a->start_ns > b->end_ns - b->start_ns;
  });
  std::string text;
  for (size_t i = 0; i < std::min(tails.size(), kMostNamed); ++i)
    text += (i == 0 ? "" : ", ") + length_text(*tails[i]) + " of GPU " +
            std::to_string(tails[i]->device) + " (" + ops_text(*tails[i]) + ")";
  if (tails.size() > kMostNamed)
    text += " and less of " + std::to_string(tails.size() - kMostNamed) + " more";
  return text + kLeftOut +
         (tails.size() == 1 ? lane_text(trace, *tails[0])
                            : "of single streams or threads (deepprof report --format json names "
                              "them)") +
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
