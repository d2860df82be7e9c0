// A sampled figure as a cell.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "analysis/report/table.h"

namespace deepprof {

inline Cell cell_of(const std::optional<double>& value, Unit unit) {
  if (!value) return NotAvailable{"not sampled there"};
  // Without a unit: clocks in MHz.
  if (unit == Unit::bytes || unit == Unit::count || unit == Unit::none)
    return std::llround(std::clamp(*value, -0x1p62, 0x1p62));
  return *value;
}

}  // namespace deepprof
