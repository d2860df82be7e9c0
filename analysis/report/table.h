// The typed table that every report section returns. Renderers (text, csv, json, markdown) know
// nothing of what it means; sections know nothing of how it looks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace deepprof {

// How a column is measured. CSV and JSON print the raw value and carry the unit in the column's
// name ("idle_ns"); text scales it (us, ms, s; KB, MB; %).
enum class Unit : uint8_t {
  none,
  count,
  nanoseconds,
  bytes,
  bytes_per_second,
  ratio,
  milliwatts,
  millijoules,
  celsius
};

struct NotAvailable {
  std::string reason;  // "no launch records in this trace"; text prints n/a, JSON null
};
// A figure that the page prints, too: text says it in the page's digits, which add up, unless a
// unit is asked for.
struct PageFigure {
  double value = 0;
  std::string text;
};
using Cell = std::variant<NotAvailable, int64_t, double, std::string, PageFigure>;

struct Column {
  std::string name;  // stable, lower case, with the unit as suffix: "total_ns", "share_ratio"
  Unit unit = Unit::none;
  std::string heading;  // for people; empty: the name, blanks for underscores
  int spare = 0;        // where a terminal is too narrow the greatest is left out first; 0: never
};

struct Table {
  std::string name;   // stable key: "kernels"
  std::string title;  // "KERNELS   282.3 ms of kernel time per iteration"
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes;  // printed under the table
  // Rows that sum to the last one: never sorted, never cut to so many.
  bool whole = false;
};

enum class Format : uint8_t { text, csv, json, markdown };
// Times in text and Markdown: scaled each by itself, or all in one unit.
enum class TimeUnit : uint8_t { automatic, ns, us, ms, s };

struct RenderOptions {
  Format format = Format::text;
  bool header = true;
  bool color = false;
  // text: columns of the terminal, whose table leaves out what it has no room for; 0: no limit
  int width = 100;
  TimeUnit time_unit = TimeUnit::automatic;
};

std::string render(const Table& table, const RenderOptions& options);

// The same of a table for programs (CSV, JSON) whose rows come part by part: `next` puts other rows
// into the table, false: there are none. The notes count that it has then. `write` is given pieces.
void render_in_parts(Table table, const RenderOptions& options,
                     const std::function<bool(Table&)>& next,
                     const std::function<void(std::string_view)>& write);

}  // namespace deepprof
