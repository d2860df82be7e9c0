// Kernels and their categories.
#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "analysis/categories/distinct_names.h"
#include "analysis/report/sections.h"

namespace deepprof {
namespace {

std::vector<Column> time_columns() {
  return {{"count", Unit::count, ""},
          {"per_iteration", Unit::none, "per iteration"},
          {"total_ns", Unit::nanoseconds, "total"},
          {"share_ratio", Unit::ratio, "of kernel time"},
          {"mean_ns", Unit::nanoseconds, "mean"}};
}

void add_times(const DeviceFigures& device, uint64_t count, int64_t total_ns, int64_t all_ns,
               std::vector<Cell>& row) {
  row.emplace_back(static_cast<int64_t>(count));
  if (device.has_iterations())
    row.emplace_back(static_cast<double>(count) / static_cast<double>(device.repetitions));
  else row.emplace_back(NotAvailable{"no iterations"});
  row.emplace_back(total_ns);
  row.emplace_back(all_ns > 0 ? static_cast<double>(total_ns) / static_cast<double>(all_ns) : 0.0);
  row.emplace_back(count > 0 ? total_ns / static_cast<int64_t>(count) : 0);
}

int64_t kernel_time(const DeviceFigures& device) {
  int64_t sum = 0;
  for (const int64_t ns : device.category_ns) sum += ns;
  return sum;
}

// For people: short, and different as far as the width lets them be.
std::vector<std::string> kernel_names(const Trace& trace, std::span<const KernelFigures> kernels,
                                      Names names) {
  constexpr size_t kWidth = 60;
  std::vector<std::string_view> raw;
  for (const KernelFigures& kernel : kernels) raw.push_back(trace.names[kernel.name]);
  if (names == Names::short_form) return distinct_short_names(raw, kWidth);
  return {raw.begin(), raw.end()};
}

}  // namespace

Table kernels_table(const Trace& trace, const Figures& figures, Names names,
                    const KeepKernel& keep) {
  Table table;
  table.name = "kernels";
  table.columns = {{"device", Unit::none, ""}, {"category", Unit::none, ""}};
  for (Column& column : time_columns()) table.columns.push_back(std::move(column));
  table.columns.insert(table.columns.end(), {{"min_ns", Unit::nanoseconds, "min"},
                                             {"max_ns", Unit::nanoseconds, "max"},
                                             {"name", Unit::none, ""}});
  for (const DeviceFigures& device : figures.devices) {
    const int64_t all = kernel_time(device);
    std::vector<KernelFigures> kernels;
    std::copy_if(device.kernels.begin(), device.kernels.end(), std::back_inserter(kernels),
                 [&](const KernelFigures& kernel) { return !keep || keep(kernel); });
    std::vector<std::string> shown = kernel_names(trace, kernels, names);
    for (size_t i = 0; i < kernels.size(); ++i) {
      const KernelFigures& kernel = kernels[i];
      std::vector<Cell> row;
      row.reserve(table.columns.size());
      row.emplace_back(int64_t{device.device});
      row.emplace_back(figures.category_names[kernel.category]);
      add_times(device, kernel.count, kernel.total_ns, all, row);
      row.emplace_back(kernel.min_ns);
      row.emplace_back(kernel.max_ns);
      row.emplace_back(std::move(shown[i]));
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

Table categories_table(const Figures& figures) {
  Table table;
  table.name = "categories";
  table.columns = {{"device", Unit::none, ""},
                   {"category", Unit::none, ""},
                   {"kernels", Unit::count, "kernel names"}};
  for (Column& column : time_columns()) table.columns.push_back(std::move(column));
  for (const DeviceFigures& device : figures.devices) {
    std::vector<int64_t> distinct(figures.category_names.size(), 0);
    for (const KernelFigures& kernel : device.kernels) ++distinct[kernel.category];
    std::vector<size_t> order;
    for (size_t id = 0; id < distinct.size(); ++id) {
      if (device.category_count[id] > 0) order.push_back(id);
    }
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return device.category_ns[a] > device.category_ns[b];
    });
    const int64_t all = kernel_time(device);
    for (const size_t id : order) {
      std::vector<Cell> row{int64_t{device.device}, figures.category_names[id], distinct[id]};
      add_times(device, device.category_count[id], device.category_ns[id], all, row);
      table.rows.push_back(std::move(row));
    }
  }
  table.notes = {
      "times of kernels that ran at the same time are added: they may exceed the wall time"};
  return table;
}

}  // namespace deepprof
