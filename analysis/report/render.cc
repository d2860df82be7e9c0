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

}  // namespace deepprof
