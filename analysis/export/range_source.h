// The words of exports for where a range comes from.
#pragma once

#include <string_view>

#include "analysis/model/trace.h"

namespace deepprof {

inline std::string_view range_source_name(RangeSource source) {
  switch (source) {
    case RangeSource::annotation: return "annotation";
    case RangeSource::nvtx: return "nvtx";
    case RangeSource::framework_op: return "framework_op";
    case RangeSource::python: return "python";
    case RangeSource::step: return "step";
  }
  return "unknown";
}

}  // namespace deepprof
