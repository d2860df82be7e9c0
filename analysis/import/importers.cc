#include "analysis/import/importer.h"

namespace deepprof {

const std::vector<std::unique_ptr<Importer>>& importers() {
  static const std::vector<std::unique_ptr<Importer>> list = [] {
    std::vector<std::unique_ptr<Importer>> all;
    all.push_back(make_dprof_importer());
    all.push_back(make_sqlite_importer());
    all.push_back(make_nvprof_csv_importer());
    all.push_back(make_xplane_importer());
    all.push_back(make_tf_timeline_importer());
    all.push_back(make_kineto_importer());  // recognises any JSON: keep it last of the JSON formats
    return all;
  }();
  return list;
}

}  // namespace deepprof
