#include "analysis/import/memory_names.h"

#include <algorithm>
#include <cctype>

namespace deepprof {
namespace {

constexpr struct {
  CopyKind kind;
  std::string_view word, digit_word, name;
} kDirections[] = {
    {CopyKind::host_to_device, "HtoD", "H2D", "Memcpy HtoD"},
    {CopyKind::device_to_host, "DtoH", "D2H", "Memcpy DtoH"},
    {CopyKind::device_to_device, "DtoD", "D2D", "Memcpy DtoD"},
    {CopyKind::peer_to_peer, "PtoP", "P2P", "Memcpy PtoP"},
    {CopyKind::host_to_host, "HtoH", "H2H", "Memcpy HtoH"},
    {CopyKind::host_to_array, "HtoA", "H2A", "Memcpy HtoA"},
    {CopyKind::array_to_host, "AtoH", "A2H", "Memcpy AtoH"},
    {CopyKind::array_to_array, "AtoA", "A2A", "Memcpy AtoA"},
    {CopyKind::array_to_device, "AtoD", "A2D", "Memcpy AtoD"},
    {CopyKind::device_to_array, "DtoA", "D2A", "Memcpy DtoA"},
};

constexpr struct {
  std::string_view word;
  MemoryKind kind;
} kMemories[] = {
    {"pageable", MemoryKind::pageable},
    {"pinned", MemoryKind::pinned},
    {"device", MemoryKind::device},
    {"array", MemoryKind::array},
    {"managed", MemoryKind::managed},
    {"device_static", MemoryKind::device_static},
    {"managed_static", MemoryKind::managed_static},
};

}  // namespace

CopyKind copy_kind_of(std::string_view text) {
  for (const auto& row : kDirections) {
    if (text.find(row.word) != std::string_view::npos ||
        text.find(row.digit_word) != std::string_view::npos) {
      return row.kind;
    }
  }
  return CopyKind::unknown;
}

std::string_view copy_name(CopyKind kind) {
  for (const auto& row : kDirections) {
    if (row.kind == kind) return row.name;
  }
  return "Memcpy";
}

MemoryKind memory_kind_of(std::string_view word) {
  const auto same = [](char known, char letter) {
    return known == (letter == ' ' ? '_' : std::tolower(static_cast<unsigned char>(letter)));
  };
  for (const auto& row : kMemories) {
    if (std::equal(row.word.begin(), row.word.end(), word.begin(), word.end(), same))
      return row.kind;
  }
  return MemoryKind::unknown;
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
