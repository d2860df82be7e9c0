#include "analysis/report/view.h"

#include <algorithm>

#include "analysis/report/quantity.h"
#include "libdeepprof/text.h"

namespace deepprof {

std::string view_words(const View& view, const Trace& trace) {
  std::string text;
  if (view.stream != kNone) {
    text = format_text(
        "only stream %u: idle is where nothing runs on it, whatever other streams do", view.stream);
  }
  if (view.within && !trace.ops.empty()) {
    const int64_t origin = trace.ops.front().start_ns;
    text += (text.empty() ? "only " : "; only ") +
            time_text(std::max<int64_t>(0, view.within->start_ns - origin)) + " to " +
            time_text(view.within->end_ns - origin) + " after the first GPU op";
  }
  return text;
}

}  // namespace deepprof
