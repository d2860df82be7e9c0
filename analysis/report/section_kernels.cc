// Kernels, their categories, and communication.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analysis/report/coverage.h"
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

// A collective takes as long as its transfer on the device that comes last; the others wait for it. Where
// several devices run the same collective equally often, the k-th of each belong together.
class Waiting {
 public:
  Waiting(const Trace& trace, const Figures& figures) {
    std::map<NameId, std::map<std::pair<uint16_t, uint32_t>, std::vector<int64_t>>>
        runs;  // by device and stream
    for (const DeviceFigures& device : figures.devices) {
      for (const uint32_t index : device.ops) {
        const Op& op = trace.ops[index];
        if (activity_of(op, figures.category_of_name) != Activity::communication) continue;
        runs[op.name][{device.device, op.stream}].push_back(op.duration_ns);
      }
    }
    for (const auto& [name, places] : runs) {
      const size_t count = places.begin()->second.size();
      const bool alike = std::all_of(places.begin(), places.end(),
                                     [&](const auto& p) { return p.second.size() == count; });
      std::set<uint16_t> devices;
      for (const auto& [place, durations] : places) devices.insert(place.first);
      // One stream a device, else it is not clear which belong together.
      if (!alike || places.size() < 2 || devices.size() != places.size()) continue;
      for (const auto& [place, durations] : places) {
        int64_t ns = 0;
        for (size_t k = 0; k < count; ++k) {
          int64_t transfer = durations[k];
          for (const auto& [other, theirs] : places) transfer = std::min(transfer, theirs[k]);
          ns += durations[k] - transfer;
        }
        waiting_ns_[{place.first, name, place.second}] = ns;
      }
    }
  }
  Cell of(uint16_t device, NameId name, uint32_t stream) const {
    const auto found = waiting_ns_.find({device, name, stream});
    if (found == waiting_ns_.end())
      return NotAvailable{"not the same collective on several devices of this file"};
    return found->second;
  }

 private:
  std::map<std::tuple<uint16_t, NameId, uint32_t>, int64_t> waiting_ns_;
};

}  // namespace

Table kernels_table(const Trace& trace, const Figures& figures, Names names) {
  Table table;
  table.name = "kernels";
  table.columns = {{"device", Unit::none, ""}, {"category", Unit::none, ""}};
  for (Column& column : time_columns()) table.columns.push_back(std::move(column));
  table.columns.insert(table.columns.end(), {{"min_ns", Unit::nanoseconds, "min"},
                                             {"max_ns", Unit::nanoseconds, "max"},
                                             {"name", Unit::none, ""}});
  for (const DeviceFigures& device : figures.devices) {
    const int64_t all = kernel_time(device);
    for (const KernelFigures& kernel : device.kernels) {
      std::vector<Cell> row{int64_t{device.device}, figures.category_names[kernel.category]};
      add_times(device, kernel.count, kernel.total_ns, all, row);
      row.emplace_back(kernel.min_ns);
      row.emplace_back(kernel.max_ns);
      row.emplace_back(op_name(trace, kernel.name, names));
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

Table communication_table(const Trace& trace, const Figures& figures, Names names) {
  Table table;
  table.name = "comm";
  table.columns = {{"device", Unit::none, ""},
                   {"stream", Unit::none, ""},
                   {"count", Unit::count, ""},
                   {"total_ns", Unit::nanoseconds, "total"},
                   {"exposed_ns", Unit::nanoseconds, "exposed"},
                   {"overlap_ratio", Unit::ratio, "hidden"},
                   {"waiting_ns", Unit::nanoseconds, "waiting"},
                   {"mean_ns", Unit::nanoseconds, "mean"},
                   {"min_ns", Unit::nanoseconds, "min"},
                   {"max_ns", Unit::nanoseconds, "max"},
                   {"name", Unit::none, ""}};
  struct Row {
    int64_t count = 0, total_ns = 0, hidden_ns = 0, min_ns = INT64_MAX, max_ns = 0;
  };
  const Waiting waiting(trace, figures);
  for (const DeviceFigures& device : figures.devices) {
    const Coverage compute(trace, device.ops, [&](const Op& op) {
      return activity_of(op, figures.category_of_name) == Activity::compute;
    });
    std::map<std::pair<NameId, uint32_t>, Row> rows;
    for (const uint32_t index : device.shown()) {
      const Op& op = trace.ops[index];
      if (activity_of(op, figures.category_of_name) != Activity::communication) continue;
      Row& row = rows[{op.name, op.stream}];
      ++row.count;
      row.total_ns += op.duration_ns;
      row.hidden_ns += compute.covered_ns(op.start_ns, op.end_ns());
      row.min_ns = std::min(row.min_ns, op.duration_ns);
      row.max_ns = std::max(row.max_ns, op.duration_ns);
    }
    for (const auto& [key, row] : rows) {
      std::vector<Cell> cells{int64_t{device.device}, int64_t{key.second}, row.count, row.total_ns,
                              row.total_ns - row.hidden_ns};
      if (row.total_ns > 0)
        cells.emplace_back(static_cast<double>(row.hidden_ns) / static_cast<double>(row.total_ns));
      else cells.emplace_back(NotAvailable{"no time"});
      cells.push_back(waiting.of(device.device, key.first, key.second));
      cells.emplace_back(row.total_ns / row.count);
      cells.emplace_back(row.min_ns);
      cells.emplace_back(row.max_ns);
      cells.emplace_back(op_name(trace, key.first, names));
      table.rows.push_back(std::move(cells));
    }
  }
  std::stable_sort(table.rows.begin(), table.rows.end(), [](const auto& a, const auto& b) {
    return std::get<int64_t>(a[3]) > std::get<int64_t>(b[3]);
  });
  table.notes = {"exposed: no compute kernel ran beside it; whole run",
                 "waiting: longer than the shortest of the same collective on the devices of this "
                 "file (n/a with one)"};
  return table;
}

}  // namespace deepprof
