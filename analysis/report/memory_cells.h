// What the tables of memory share (section_memory.cc, section_memory_steps.cc).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/device/memory_use.h"
#include "analysis/report/figures.h"
#include "analysis/report/sections.h"
#include "analysis/report/table.h"

namespace deepprof {

Cell device_cell(uint32_t device);
Cell count_cell(uint64_t count);  // of bytes, too

// Programs read instants of the trace's clock; people the time since the trace's TimeOrigin.
Column instant_column(Names names, const char* for_programs, const char* heading);
Cell instant_cell(const Trace& trace, Names names, int64_t time_ns);

// Whose iterations a kind of memory is looked at by: its device's; the host's by the device with
// most GPU time. Null: none.
const DeviceFigures* iterations_for(const Figures& figures, const MemoryLane& lane);

// Whether the view shows it: memory of the host belongs to every device.
bool is_shown(const Figures& figures, const MemoryLane& lane);
// The stretches of time that the view names; nothing: the whole run.
std::optional<std::vector<Window>> memory_windows(const Figures& figures, const MemoryLane& lane);

// What must be known of the figures: whose memory CUDA is asked for, what is missing.
std::vector<std::string> memory_notes(const Trace& trace, const Figures& figures);

}  // namespace deepprof
