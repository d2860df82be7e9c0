#include "analysis/report/host_operators.h"

#include <algorithm>
#include <vector>

#include "analysis/categories/annotation_name.h"
#include "analysis/report/quantity.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

struct HostSum {
  NameId name = 0;
  int64_t calls = 0, own_ns = 0;
};

// Ranges of a thread lie in each other; they come by start.
class OwnTimes {
 public:
  explicit OwnTimes(const Trace& trace) : annotations_(trace), sums_(trace.names.size()) {}

  void add(const Range& range) {
    if (range.thread >= open_.size()) open_.resize(range.thread + 1);
    std::vector<Open>& open = open_[range.thread];
    while (!open.empty() && open.back().end_ns <= range.start_ns) open.pop_back();
    const NameId name = annotations_.of(range.name);
    if (!open.empty()) {
      const int64_t inside_ns = std::min(range.end_ns(), open.back().end_ns) - range.start_ns;
      sums_[open.back().name].own_ns -= inside_ns;
      all_ns_ -= inside_ns;
    }
    sums_[name].name = name;
    ++sums_[name].calls;
    sums_[name].own_ns += range.duration_ns;
    all_ns_ += range.duration_ns;
    open.push_back({range.end_ns(), name});
  }
  int64_t all_ns() const { return all_ns_; }
  std::vector<HostSum> sorted() const {
    std::vector<HostSum> sums;
    std::copy_if(sums_.begin(), sums_.end(), std::back_inserter(sums),
                 [](const HostSum& sum) { return sum.calls > 0; });
    std::stable_sort(sums.begin(), sums.end(),
                     [](const HostSum& a, const HostSum& b) { return a.own_ns > b.own_ns; });
    return sums;
  }

 private:
  struct Open {
    int64_t end_ns;
    NameId name;
  };
  AnnotationIds annotations_;
  std::vector<std::vector<Open>> open_;  // by thread
  std::vector<HostSum> sums_;            // by name
  int64_t all_ns_ = 0;
};

}  // namespace

void host_operators_part(const Trace& trace, Page& page) {
  constexpr size_t kShown = 10;
  OwnTimes times(trace);
  for (const Range& range : trace.ranges) {
    if (range.source != RangeSource::step && range.name < trace.names.size()) times.add(range);
  }
  const std::vector<HostSum> sums = times.sorted();
  if (sums.empty() || times.all_ns() <= 0) return;
  page.heading("HOST", time_text(times.all_ns()) +
                           " in operators and annotations, by their own time (threads added)");
  for (size_t i = 0; i < std::min(kShown, sums.size()); ++i) {
    const HostSum& sum = sums[i];
    const std::string text =
        at_right(
            percent_text(static_cast<double>(sum.own_ns) / static_cast<double>(times.all_ns())),
            9) +
        at_right(time_text(sum.own_ns), 10) + at_right(count_text(sum.calls), 9) + "  ";
    page.line(text + short_annotation(trace.names[sum.name],
                                      page.width() - std::min(page.width(), text.size())));
  }
}

}  // namespace deepprof
