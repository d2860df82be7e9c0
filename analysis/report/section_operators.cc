// GPU time by the annotation in which it was launched.
#include <algorithm>
#include <map>

#include "analysis/categories/annotation_name.h"
#include "analysis/gaps/open_ranges.h"
#include "analysis/report/operator_sections.h"
#include "analysis/report/quantity.h"

namespace deepprof {
namespace {

// What was launched in the ranges of one name.
struct OperatorSum {
  int64_t calls = 0, ops = 0, own_ns = 0, total_ns = 0;
  uint32_t last_op = kNone;  // that was added to total_ns: a function may call itself
  std::map<NameId, int64_t> ns_of_op;

  NameId longest_op() const {
    return std::max_element(ns_of_op.begin(), ns_of_op.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }
};

class OperatorSums {
 public:
  OperatorSums(const Trace& trace, std::optional<RangeSource> source)
      : trace_(trace),
        open_(trace, source),
        annotations_(trace),
        has_launched_(trace.ranges.size(), false) {}

  // Ops in order of their launches.
  void add(uint32_t index) {
    const Op& op = trace_.ops[index];
    gpu_ns_ += op.duration_ns;
    if (op.launch == kNone) return add_own(not_launched_, op);
    const HostCall& launch = trace_.calls[op.launch];
    const std::span<const uint32_t> ranges = open_.at(launch.thread, launch.start_ns);
    if (ranges.empty()) return add_own(in_none_, op);
    add_own(sum_of(ranges[0]), op);
    for (const uint32_t range : ranges) {
      OperatorSum& sum = sum_of(range);
      if (sum.last_op != index) sum.total_ns += op.duration_ns;
      sum.last_op = index;
      if (!has_launched_[range]) ++sum.calls;
      has_launched_[range] = true;
    }
  }

  int64_t gpu_ns() const { return gpu_ns_; }
  const std::map<NameId, OperatorSum>& by_name() const { return by_name_; }
  const OperatorSum& in_none() const { return in_none_; }
  const OperatorSum& not_launched() const { return not_launched_; }

 private:
  OperatorSum& sum_of(uint32_t range) {
    return by_name_[annotations_.of(trace_.ranges[range].name)];
  }
  static void add_own(OperatorSum& sum, const Op& op) {
    ++sum.ops;
    sum.own_ns += op.duration_ns;
    sum.ns_of_op[op.name] += op.duration_ns;
  }

  const Trace& trace_;
  OpenRanges open_;
  AnnotationIds annotations_;
  std::vector<bool> has_launched_;  // by range
  std::map<NameId, OperatorSum> by_name_;
  OperatorSum in_none_, not_launched_;
  int64_t gpu_ns_ = 0;
};

std::vector<Column> columns() {
  return {{"device", Unit::none, ""},
          {"calls", Unit::count, ""},
          {"ops", Unit::count, "GPU ops"},
          {"own_ns", Unit::nanoseconds, "own GPU time"},
          {"own_ratio", Unit::ratio, "of GPU time"},
          {"own_per_iteration_ns", Unit::nanoseconds, "own per iteration"},
          {"total_ns", Unit::nanoseconds, "with what is inside"},
          {"total_ratio", Unit::ratio, "of GPU time"},
          {"longest_op", Unit::none, "most of it", 1},
          {"annotation", Unit::none, ""}};
}

class Rows {
 public:
  Rows(const Trace& trace, const DeviceFigures& device, int64_t gpu_ns, Names names)
      : trace_(trace), device_(device), gpu_ns_(gpu_ns), names_(names) {}

  // `calls` and the time with what is inside are of annotations alone.
  std::vector<Cell> row(const OperatorSum& sum, const std::string& name, bool is_annotation) const {
    std::vector<Cell> row{int64_t{device_.device}};
    add(is_annotation, sum.calls, row);
    row.emplace_back(sum.ops);
    row.emplace_back(sum.own_ns);
    row.push_back(share(sum.own_ns));
    if (device_.has_iterations()) row.emplace_back(rounded_mean(sum.own_ns, device_.repetitions));
    else row.emplace_back(NotAvailable{"no iterations"});
    add(is_annotation, sum.total_ns, row);
    if (is_annotation) row.push_back(share(sum.total_ns));
    else row.emplace_back(NotAvailable{"no annotation"});
    if (sum.ops > 0) row.emplace_back(name_text(trace_.names[sum.longest_op()], names_));
    else row.emplace_back(NotAvailable{"launches nothing itself"});
    row.emplace_back(name);
    return row;
  }

 private:
  static void add(bool is_known, int64_t value, std::vector<Cell>& row) {
    if (is_known) row.emplace_back(value);
    else row.emplace_back(NotAvailable{"no annotation"});
  }
  Cell share(int64_t ns) const {
    if (gpu_ns_ <= 0) return NotAvailable{"no time"};
    return static_cast<double>(ns) / static_cast<double>(gpu_ns_);
  }

  const Trace& trace_;
  const DeviceFigures& device_;
  int64_t gpu_ns_;
  Names names_;
};

void add_device(const Trace& trace, const Figures& figures, const DeviceFigures& device,
                std::optional<RangeSource> source, Names names, Table& table) {
  std::vector<uint32_t> ops = basis_ops(trace, figures, device);
  const auto launched_ns = [&](uint32_t index) {
    const Op& op = trace.ops[index];
    return op.launch == kNone ? op.start_ns : trace.calls[op.launch].start_ns;
  };
  std::stable_sort(ops.begin(), ops.end(),
                   [&](uint32_t a, uint32_t b) { return launched_ns(a) < launched_ns(b); });
  OperatorSums sums(trace, source);
  for (const uint32_t index : ops) sums.add(index);
  std::vector<std::pair<NameId, const OperatorSum*>> order;
  for (const auto& [name, sum] : sums.by_name()) order.emplace_back(name, &sum);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second->own_ns, a.second->total_ns) >
           std::pair(b.second->own_ns, b.second->total_ns);
  });
  if (order.empty()) return;  // nothing was recorded that could be told
  const Rows rows(trace, device, sums.gpu_ns(), names);
  for (const auto& [name, sum] : order)
    table.rows.push_back(rows.row(*sum, annotation_text(trace.names[name], names), true));
  if (sums.in_none().ops > 0)
    table.rows.push_back(rows.row(sums.in_none(), "(launched in none)", false));
  if (sums.not_launched().ops > 0)
    table.rows.push_back(rows.row(sums.not_launched(), "(launch not recorded)", false));
}

}  // namespace

Table operators_table(const Trace& trace, const Figures& figures, std::optional<RangeSource> source,
                      Names names) {
  Table table;
  table.name = "operators";
  table.columns = columns();
  for (const DeviceFigures& device : figures.devices)
    add_device(trace, figures, device, source, names, table);
  table.notes = {
      "GPU time (streams added) by the annotation that was open where the launch began, on its "
      "thread; own: of the innermost one, which add up to all; with what is inside: every one that "
      "was open"};
  return table;
}

}  // namespace deepprof
