// What is found in small traces: for the tests of the rules.
#pragma once

#include <string>
#include <utility>

#include "analysis/findings/findings.h"
#include "analysis/iterations/mined.h"
#include "analysis/report/figures.h"

namespace deepprof::test {

inline const Finding* finding(const Findings& findings, const std::string& key) {
  for (const Finding& candidate : findings) {
    if (finding_key(candidate.kind) == key) return &candidate;
  }
  return nullptr;
}

inline Findings findings_of(const Trace& trace) {
  const Mined mined;
  const Figures figures = compute_figures(trace, mined);
  return Finder(trace, figures).of_page(figures.main());
}

// Iterations of so many ops, from the first op on.
inline Mined in_iterations(const Trace& trace, uint32_t ops) {
  DeviceMined device;
  device.verdict = Verdict::iteration;
  device.confidence = 0.9;
  const auto count = static_cast<uint32_t>(trace.ops.size());
  for (uint32_t op = 0; op < count; ++op) device.order.push_back(op);
  for (uint32_t first = 0; first + ops <= count; first += ops) {
    Iteration iteration;
    iteration.first = first;
    iteration.last = first + ops;
    iteration.start_ns = trace.ops[first].start_ns;
    iteration.end_ns =
        first + ops < count ? trace.ops[first + ops].start_ns : trace.ops[count - 1].end_ns();
    iteration.number = first / ops;
    device.iterations.push_back(iteration);
  }
  Section section;
  section.kind = SectionKind::training;
  section.last = count;
  section.start_ns = device.iterations.front().start_ns;
  section.end_ns = device.iterations.back().end_ns;
  section.iterations = static_cast<uint32_t>(device.iterations.size());
  device.sections.push_back(section);
  Mined mined;
  mined.devices.push_back(std::move(device));
  return mined;
}

inline bool says(const std::string& text, const char* words) {
  return text.find(words) != std::string::npos;
}

}  // namespace deepprof::test
