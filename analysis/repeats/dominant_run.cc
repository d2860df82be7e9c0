#include "analysis/repeats/dominant_run.h"

#include <vector>

namespace deepprof {
namespace {

constexpr uint32_t kFewest = 3;  // repetitions

// Its smallest period: what its longest border leaves (Knuth, Morris and Pratt).
uint32_t smallest_period(std::span<const uint32_t> symbols) {
  std::vector<uint32_t> border(symbols.size(), 0);
  for (uint32_t at = 1; at < symbols.size(); ++at) {
    uint32_t length = border[at - 1];
    while (length > 0 && symbols[at] != symbols[length]) length = border[length - 1];
    border[at] = length + (symbols[at] == symbols[length] ? 1 : 0);
  }
  return static_cast<uint32_t>(symbols.size()) - border.back();
}

}  // namespace

Run widened(std::span<const uint32_t> symbols, Run run) {
  while (run.first > 0 && symbols[run.first - 1] == symbols[run.first - 1 + run.period])
    --run.first;
  while (run.last < symbols.size() && symbols[run.last] == symbols[run.last - run.period])
    ++run.last;
  return run;
}

std::optional<Run> dominant_run(std::span<const uint32_t> symbols) {
  const auto n = static_cast<uint32_t>(symbols.size()), fifth = n / 5;
  if (n < kFewest) return std::nullopt;
  Run run{fifth, n - fifth, 0};
  run.period = smallest_period(symbols.subspan(run.first, run.last - run.first));
  run = widened(symbols, run);
  if (run.count() < kFewest) return std::nullopt;
  return run;
}

}  // namespace deepprof
