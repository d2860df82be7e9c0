// Copies by direction and kinds of memory, and by size.
#include <algorithm>
#include <array>
#include <map>

#include "analysis/report/counted_text.h"
#include "analysis/report/pageable.h"
#include "analysis/report/sections.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

const char* copy_direction(CopyKind kind) {
  switch (kind) {
    case CopyKind::unknown: return "not known";
    case CopyKind::host_to_device:
    case CopyKind::host_to_array: return "host to device";
    case CopyKind::device_to_host:
    case CopyKind::array_to_host: return "device to host";
    case CopyKind::device_to_device:
    case CopyKind::array_to_array:
    case CopyKind::array_to_device:
    case CopyKind::device_to_array: return "device to device";
    case CopyKind::host_to_host: return "host to host";
    case CopyKind::peer_to_peer: return "peer to peer";
  }
  return "not known";
}

const char* memory_name(MemoryKind kind) {
  constexpr std::array<const char*, 8> kNames{"not known",     "pageable",      "pinned",
                                              "device",        "array",         "managed",
                                              "device static", "managed static"};
  const auto number = static_cast<size_t>(kind);
  return kNames[number < kNames.size() ? number : 0];
}

struct CopyRow {
  int64_t count = 0, total_ns = 0, largest = 0;
  uint64_t bytes = 0;
};

// Bytes a second; not known where no size was recorded.
Cell bandwidth(const CopyRow& row) {
  if (row.total_ns <= 0 || row.bytes == 0) return NotAvailable{"size or time not recorded"};
  return static_cast<double>(row.bytes) / static_cast<double>(row.total_ns) * 1e9;
}

Cell bytes_cell(const CopyRow& row, int64_t value) {
  if (row.bytes == 0) return NotAvailable{"size not recorded"};
  return value;
}

template <typename Visit>
void for_each_copy(const Trace& trace, const Figures& figures, Visit visit) {
  for (const DeviceFigures& device : figures.devices) {
    for (const uint32_t index : device.shown()) {
      const Op& op = trace.ops[index];
      if (op.kind == Kind::memcpy)
        visit(op, trace.details[op.detail < trace.details.size() ? op.detail : 0]);
    }
  }
}

}  // namespace

Table memcpy_table(const Trace& trace, const Figures& figures) {
  Table table;
  table.name = "memcpy";
  table.columns = {{"device", Unit::none, ""},
                   {"direction", Unit::none, ""},
                   {"source", Unit::none, "from"},
                   {"destination", Unit::none, "to"},
                   {"count", Unit::count, ""},
                   {"total_bytes", Unit::bytes, "bytes"},
                   {"mean_bytes", Unit::bytes, "mean size"},
                   {"max_bytes", Unit::bytes, "largest"},
                   {"total_ns", Unit::nanoseconds, "time"},
                   {"bytes_per_second", Unit::bytes_per_second, "bandwidth"}};
  std::map<std::tuple<uint16_t, CopyKind, MemoryKind, MemoryKind>, CopyRow> rows;
  uint64_t pageable = 0, all = 0;
  for_each_copy(trace, figures, [&](const Op& op, const Detail& detail) {
    CopyRow& row = rows[{op.device, detail.copy_kind, detail.source, detail.destination}];
    ++row.count;
    row.bytes += detail.bytes;
    row.largest = std::max(row.largest, static_cast<int64_t>(detail.bytes));
    row.total_ns += op.duration_ns;
    all += detail.bytes;
    if (pays_for_pageable(detail)) pageable += detail.bytes;
  });
  for (const auto& [key, row] : rows) {
    const auto& [device, kind, source, destination] = key;
    table.rows.push_back({int64_t{device}, std::string(copy_direction(kind)),
                          std::string(memory_name(source)), std::string(memory_name(destination)),
                          row.count, bytes_cell(row, static_cast<int64_t>(row.bytes)),
                          bytes_cell(row, static_cast<int64_t>(row.bytes) / row.count),
                          bytes_cell(row, row.largest), row.total_ns, bandwidth(row)});
  }
  table.notes = {shown_note(figures)};
  if (100 * pageable >= all && pageable > 0) {
    table.notes.push_back(format_text(
        "%.1f %% of the bytes come from or go to pageable memory, in copies of more than 64 KiB: "
        "they are staged and cannot overlap; use pinned memory",
        100 * static_cast<double>(pageable) / static_cast<double>(all)));
  }
  return table;
}

Table memcpy_sizes_table(const Trace& trace, const Figures& figures) {
  Table table;
  table.name = "memcpy_sizes";
  table.columns = {{"device", Unit::none, ""},
                   {"direction", Unit::none, ""},
                   {"from_bytes", Unit::bytes, "from"},
                   {"below_bytes", Unit::bytes, "below"},
                   {"count", Unit::count, ""},
                   {"total_bytes", Unit::bytes, "bytes"},
                   {"total_ns", Unit::nanoseconds, "time"},
                   {"bytes_per_second", Unit::bytes_per_second, "bandwidth"}};
  std::map<std::tuple<uint16_t, std::string, int>, CopyRow> rows;  // by power of two
  for_each_copy(trace, figures, [&](const Op& op, const Detail& detail) {
    int power = 0;
    while (power < 62 && (uint64_t{1} << (power + 1)) <= detail.bytes) ++power;
    CopyRow& row =
        rows[{op.device, copy_direction(detail.copy_kind), detail.bytes == 0 ? -1 : power}];
    ++row.count;
    row.bytes += detail.bytes;
    row.total_ns += op.duration_ns;
  });
  for (const auto& [key, row] : rows) {
    const auto& [device, direction, power] = key;
    const bool known = power >= 0;
    std::vector<Cell> cells{int64_t{device}, direction};
    for (const int exponent : {power, power + 1}) {
      if (known) cells.emplace_back(int64_t{1} << exponent);
      else cells.emplace_back(NotAvailable{"size not recorded"});
    }
    cells.emplace_back(row.count);
    cells.push_back(bytes_cell(row, static_cast<int64_t>(row.bytes)));
    cells.emplace_back(row.total_ns);
    cells.push_back(bandwidth(row));
    table.rows.push_back(std::move(cells));
  }
  table.notes = {shown_note(figures)};
  return table;
}

}  // namespace deepprof
