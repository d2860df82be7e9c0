#include "analysis/import/memory_names.h"

#include <iterator>

namespace deepprof {
namespace {

constexpr struct {
  std::string_view word;
  CopyKind kind;
} kDirections[] = {
    {"HtoD", CopyKind::host_to_device},   {"DtoH", CopyKind::device_to_host},
    {"DtoD", CopyKind::device_to_device}, {"PtoP", CopyKind::peer_to_peer},
    {"HtoH", CopyKind::host_to_host},     {"HtoA", CopyKind::host_to_array},
    {"AtoH", CopyKind::array_to_host},    {"AtoA", CopyKind::array_to_array},
    {"AtoD", CopyKind::array_to_device},  {"DtoA", CopyKind::device_to_array},
};

constexpr struct {
  std::string_view word;
  MemoryKind kind;
} kMemories[] = {
    {"Pageable", MemoryKind::pageable},
    {"Pinned", MemoryKind::pinned},
    {"Device", MemoryKind::device},
    {"Array", MemoryKind::array},
    {"Managed", MemoryKind::managed},
    {"Device Static", MemoryKind::device_static},
    {"Managed Static", MemoryKind::managed_static},
};

MemoryKind memory_kind_of(std::string_view word) {
  for (const auto& row : kMemories) {
    if (row.word == word) return row.kind;
  }
  return MemoryKind::unknown;
}

}  // namespace

CopyKind copy_kind_of(std::string_view text) {
  for (const auto& row : kDirections) {
    if (text.find(row.word) != std::string_view::npos) return row.kind;
  }
  return CopyKind::unknown;
}

void read_memory_kinds(std::string_view name, Detail& detail) {
  const size_t open = name.rfind('('), close = name.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return;
  const std::string_view inside = name.substr(open + 1, close - open - 1);
  constexpr std::string_view kArrow = " -> ";
  const size_t arrow = inside.find(kArrow);
  if (arrow == std::string_view::npos) {
    detail.destination = memory_kind_of(inside);
    return;
  }
  detail.source = memory_kind_of(inside.substr(0, arrow));
  detail.destination = memory_kind_of(inside.substr(arrow + kArrow.size()));
}

}  // namespace deepprof
