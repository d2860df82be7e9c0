// Can a trace be trusted? Every check that `deepprof check` makes, as one table; by what a trace
// says of itself alone, so it holds for any importer's.
#pragma once

#include <string>
#include <vector>

#include "analysis/model/trace.h"
#include "analysis/report/table.h"

namespace deepprof {

enum class CheckResult : uint8_t {
  passed,
  noted,   // less than the whole truth, but the figures hold
  failed,  // figures are incomplete or cannot be
};

struct Check {
  std::string name;
  CheckResult result = CheckResult::passed;
  int64_t count = 0;    // rows that do not hold
  std::string finding;  // one clause, with the worst case
};

// `notes`: what the reader of a .dprof had to skip; empty for other inputs.
std::vector<Check> check_trace(const Trace& trace, const std::vector<std::string>& notes);

Table checks_table(const std::vector<Check>& checks);
bool any_failed(const std::vector<Check>& checks);

}  // namespace deepprof
