#include "analysis/export/exporter.h"

namespace deepprof {

const std::vector<std::unique_ptr<Exporter>>& exporters() {
  static const std::vector<std::unique_ptr<Exporter>> list = [] {
    std::vector<std::unique_ptr<Exporter>> all;
    all.push_back(make_csv_exporter());
    all.push_back(make_jsonl_exporter());
    all.push_back(make_sqlite_exporter());
    all.push_back(make_perfetto_exporter());
    all.push_back(make_chrome_exporter());
    all.push_back(make_recording_exporter());
    return all;
  }();
  return list;
}

}  // namespace deepprof
