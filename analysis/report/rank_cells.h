// Cells that several tables about ranks have.
#pragma once

#include "analysis/report/ranks.h"
#include "analysis/report/table.h"

namespace deepprof {

inline Cell rank_cell(const RankFigures& rank) {
  if (rank.rank < 0) return NotAvailable{"the file names no rank"};
  return int64_t{rank.rank};
}

// Figures that need another rank to compare with.
inline Cell compared(const Ranks& ranks, int64_t value) {
  if (ranks.matched.collectives.empty())
    return NotAvailable{"no collective was matched with another rank"};
  return value;
}

inline Cell share_of(int64_t part, int64_t whole) {
  if (whole <= 0) return NotAvailable{"no time"};
  return static_cast<double>(part) / static_cast<double>(whole);
}

inline void add_lacking(const Ranks& ranks, Table& table) {
  if (!ranks.doubt.empty()) table.notes.push_back(ranks.doubt);
  if (ranks.figures.size() > 1 && ranks.lacks_ranks()) table.notes.push_back(lacking_text(ranks));
}

}  // namespace deepprof
