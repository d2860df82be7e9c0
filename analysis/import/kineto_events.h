// Turns the events of a Kineto trace into the trace model, one at a time. Part of the Kineto
// importer.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "analysis/import/allocation_steps.h"
#include "analysis/import/chrome_event.h"
#include "analysis/import/distinct_details.h"
#include "analysis/import/kineto_categories.h"
#include "analysis/import/thread_table.h"
#include "analysis/model/facts.h"
#include "analysis/model/trace.h"

namespace deepprof {

class KinetoEvents {
 public:
  explicit KinetoEvents(Trace& trace) : trace_(trace), details_(trace), threads_(trace) {}

  // An event that lacks what its kind needs is counted as Loss::import_skipped.
  void add(const ChromeEvent& event);
  bool names_process(std::string_view name) const;
  // Once, behind the last event: what could not be known before all were there.
  void finish();

 private:
  void add_metadata(const ChromeEvent& event);
  bool add_op(const ChromeEvent& event, KinetoEvent kind);
  bool add_call(const ChromeEvent& event);
  bool add_sync(const ChromeEvent& event);
  bool add_overhead(const ChromeEvent& event);
  bool add_memory(const ChromeEvent& event);
  bool add_range(const ChromeEvent& event, RangeSource source);
  uint32_t detail_of(const ChromeEvent& event, KinetoEvent kind, std::string_view name);
  NameId intern(const RawScalar& name);

  Trace& trace_;
  DistinctDetails details_;
  ThreadTable threads_;
  AllocationSteps memory_;
  std::unordered_map<std::string, std::string> process_names_;
  std::set<int64_t> group_sizes_;                               // of collectives
  std::map<std::string, uint64_t, std::less<>> other_devices_;  // events by category
};

}  // namespace deepprof
