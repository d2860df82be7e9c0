// What exporters say of a GPU op beside its times: one list of fields, named with their units.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "analysis/model/trace.h"

namespace deepprof {

// Calls `number(name, value)` and `text(name, value)` for each field that is known of the op and
// belongs to its kind.
inline void describe_op(const Trace& trace, const Op& op,
                        const std::function<void(std::string_view, int64_t)>& number,
                        const std::function<void(std::string_view, std::string_view)>& text) {
  number("device", op.device);
  number("stream", op.stream);
  text("kind", kind_info(op.kind).name);
  if (op.correlation != 0) number("correlation", op.correlation);
  if (op.graph_node != 0) number("graph_node", op.graph_node);
  if (op.launch != kNone) number("launch_delay_ns", op.start_ns - trace.calls[op.launch].start_ns);
  if (op.detail == 0) return;
  const Detail& detail = trace.details[op.detail];
  if (op.kind == Kind::kernel) {
    const auto triple = [](uint32_t x, uint32_t y, uint32_t z) {
      return std::to_string(x) + "x" + std::to_string(y) + "x" + std::to_string(z);
    };
    text("grid", triple(detail.grid_x, detail.grid_y, detail.grid_z));
    text("block", triple(detail.block_x, detail.block_y, detail.block_z));
    number("registers", detail.registers);
    number("shared_bytes", detail.shared_bytes);
    if (detail.bytes != 0) number("payload_bytes", static_cast<int64_t>(detail.bytes));
  } else {
    number("payload_bytes", static_cast<int64_t>(detail.bytes));
  }
}

}  // namespace deepprof
