#include "analysis/report/host_operators.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "analysis/categories/annotation_name.h"
#include "analysis/report/quantity.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"
#include "libdeepprof/trace/bytes.h"

namespace deepprof {
namespace {

struct HostSum {
  NameId name = 0;
  int64_t calls = 0, own_ns = 0;
};

// Ranges of a thread lie in each other; they come by start, what holds others first. Files may hold
// any times, whose sums wrap.
class OwnTimes {
 public:
  explicit OwnTimes(const Trace& trace) : annotations_(trace), sums_(trace.names.size()) {}

  void add(const Range& range) {
    std::vector<Open>& open = open_[range.thread];
    while (!open.empty() && open.back().end_ns <= range.start_ns) open.pop_back();
    const NameId name = annotations_.of(range.name);
    if (!open.empty()) {
      const int64_t inside_ns = std::min(range.end_ns(), open.back().end_ns) - range.start_ns;
      add(open.back().name, -inside_ns);
    }
    sums_[name].name = name;
    ++sums_[name].calls;
    add(name, range.duration_ns);
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
  void add(NameId name, int64_t own_ns) {
    sums_[name].own_ns = wrapping_add(sums_[name].own_ns, own_ns);
    all_ns_ = wrapping_add(all_ns_, own_ns);
  }
  AnnotationIds annotations_;
  std::unordered_map<uint32_t, std::vector<Open>> open_;  // by thread; a file may say any
  std::vector<HostSum> sums_;                             // by name
  int64_t all_ns_ = 0;
};

// By start; of those that start at once (clocks of a microsecond) the longer first, which holds the
// other, though it was recorded behind it.
std::vector<uint32_t> outermost_first(const std::vector<Range>& ranges) {
  std::vector<uint32_t> order;
  for (uint32_t index = 0; index < ranges.size(); ++index) {
    if (ranges[index].source != RangeSource::step) order.push_back(index);
  }
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    const Range &first = ranges[a], &second = ranges[b];
    return first.start_ns != second.start_ns ? first.start_ns < second.start_ns
                                             : first.duration_ns > second.duration_ns;
  });
  return order;
}

}  // namespace

void host_operators_part(const Trace& trace, Page& page) {
  constexpr size_t kShown = 10;
  OwnTimes times(trace);
  for (const uint32_t index : outermost_first(trace.ranges)) times.add(trace.ranges[index]);
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
