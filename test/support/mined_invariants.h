// What holds of every answer of mine(), whatever the trace. Test code only.
#pragma once

#include <string>

#include "analysis/iterations/mined.h"
#include "analysis/model/trace.h"

namespace deepprof::test {

// Empty: all hold; else the first that does not.
inline std::string broken_invariant(const Trace& trace, const DeviceMined& mined) {
  size_t ops = 0;
  for (const Op& op : trace.ops) ops += op.device == mined.device;
  if (mined.order.size() != ops) return "the order holds every op of the device";
  std::vector<bool> seen(trace.ops.size(), false);
  for (const uint32_t op : mined.order) {
    if (op >= trace.ops.size() || seen[op] || trace.ops[op].device != mined.device)
      return "the order holds every op once";
    seen[op] = true;
  }
  if (!(mined.confidence >= 0 && mined.confidence <= 1)) return "confidence lies in 0..1";
  if (!(mined.coverage >= 0 && mined.coverage <= 1 + 1e-9)) return "coverage lies in 0..1";
  if (mined.verdict == Verdict::none) {
    if (!mined.iterations.empty() || !mined.sections.empty()) return "no verdict, no iterations";
    return mined.reason.empty() ? "no verdict has a reason" : "";
  }
  if (mined.levels.empty() || mined.decided_by.empty())
    return "a verdict names levels and what decided";
  uint32_t at = 0;
  size_t counted = 0;
  for (const Section& section : mined.sections) {
    if (section.first != at || section.last <= section.first) return "sections tile the order";
    at = section.last;
    counted += section.iterations;
  }
  if (at != mined.order.size()) return "sections tile the order";
  if (counted != mined.iterations.size()) return "sections count their iterations";
  uint32_t last = 0;
  for (size_t i = 0; i < mined.iterations.size(); ++i) {
    const Iteration& it = mined.iterations[i];
    if (it.first < last || it.last <= it.first || it.last > mined.order.size())
      return "iterations are ordered and not empty";
    last = it.last;
    if (it.section >= mined.sections.size()) return "an iteration has a section";
    const Section& section = mined.sections[it.section];
    if (it.first < section.first || it.last > section.last)
      return "an iteration lies in its section";
    if (it.end_ns < it.start_ns || it.span_end_ns < it.span_start_ns)
      return "windows do not end before they start";
    const bool joins = i > 0 && mined.iterations[i - 1].section == it.section;
    if (joins && mined.iterations[i - 1].end_ns != it.start_ns) return "windows of a section join";
    if (joins && mined.iterations[i - 1].last != it.first) return "iterations of a section join";
  }
  return "";
}

}  // namespace deepprof::test
