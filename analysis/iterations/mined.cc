#include "analysis/iterations/mined.h"

#include <algorithm>

#include "libdeepprof/text.h"

namespace deepprof {

const char* section_name(SectionKind kind) {
  switch (kind) {
    case SectionKind::warm_up: return "warm-up";
    case SectionKind::training: return "training";
    case SectionKind::steady: return "steady";
    case SectionKind::evaluation: return "evaluation";
    case SectionKind::checkpoint: return "checkpoint";
    case SectionKind::irregular: return "irregular";
  }
  return "irregular";
}

std::optional<uint32_t> DeviceMined::find(int64_t number) const {
  const auto found = std::lower_bound(iterations.begin(), iterations.end(), number,
                                      [](const Iteration& i, int64_t n) { return i.number < n; });
  if (found == iterations.end() || found->number != number) return std::nullopt;
  return static_cast<uint32_t>(found - iterations.begin());
}

std::string DeviceMined::numbers_text() const {
  std::string text = "iterations";
  for (size_t i = 0; i < iterations.size();) {
    size_t last = i;
    while (last + 1 < iterations.size() &&
           iterations[last + 1].number <= iterations[last].number + 1)
      ++last;
    text += format_text("%s %lld to %lld",
                        i == 0                          ? ""
                        : last + 1 == iterations.size() ? " and"
                                                        : ",",
                        static_cast<long long>(iterations[i].number),
                        static_cast<long long>(iterations[last].number));
    i = last + 1;
  }
  return text;
}

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::none: return "none";
    case Verdict::repeating_block: return "repeating block";
    case Verdict::iteration: return "iteration";
  }
  return "none";
}

}  // namespace deepprof
