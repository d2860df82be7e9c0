#include "analysis/report/render.h"

namespace deepprof {

std::string render(const Table& table, const RenderOptions& options) {
  switch (options.format) {
    case Format::csv: return render_csv(table, options);
    case Format::json: return render_json(table, options);
    case Format::markdown: return render_markdown(table, options);
    case Format::text: break;
  }
  return render_text(table, options);
}

void render_in_parts(Table table, const RenderOptions& options,
                     const std::function<bool(Table&)>& next,
                     const std::function<void(std::string_view)>& write) {
  JsonParts json;
  RenderOptions csv = options;
  const bool is_json = options.format == Format::json;
  table.rows.clear();
  write(is_json ? json.head(table) : render_csv(table, csv));
  csv.header = false;
  while (next(table)) {
    std::string text = is_json ? "" : render_csv(table, csv);
    if (is_json)
      for (const auto& row : table.rows) json.add_row(row, text);
    write(text);
    table.rows.clear();
  }
  if (is_json) write(json.end(table.notes));
}

}  // namespace deepprof
