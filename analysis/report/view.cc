#include "analysis/report/view.h"

#include <algorithm>

#include "analysis/report/quantity.h"
#include "libdeepprof/text.h"

namespace deepprof {

namespace {

// Either end of the window may be open, which its least and greatest time say.
std::string window_words(const Window& within, int64_t origin_ns) {
  const std::string start = time_text(std::max(within.start_ns, origin_ns) - origin_ns);
  if (within.end_ns == INT64_MAX) return "from " + start + " after the first GPU op on";
  const std::string end = time_text(std::max(within.end_ns, origin_ns) - origin_ns);
  return (within.start_ns == INT64_MIN ? "up to " : start + " to ") + end +
         " after the first GPU op";
}

}  // namespace

std::string view_words(const View& view, const Trace& trace) {
  std::string text;
  if (view.stream != kNone) {
    text = format_text(
        "only stream %u: idle is where nothing runs on it, whatever other streams do", view.stream);
  }
  if (view.within && !trace.ops.empty())
    text += (text.empty() ? "only " : "; only ") +
            window_words(*view.within, trace.ops.front().start_ns);
  return text;
}

}  // namespace deepprof
