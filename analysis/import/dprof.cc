// DeepProf's own dump.
#include <algorithm>

#include "analysis/import/importer.h"
#include "analysis/import/message.h"
#include "analysis/model/dprof.h"
#include "libdeepprof/trace/chunk.h"

namespace deepprof {
namespace {

class DprofImporter final : public Importer {
 public:
  std::string_view format() const override { return "DeepProf dump (.dprof)"; }

  bool recognises(std::string_view head) const override {
    return head.size() >= kFileMagic.size() &&
           std::equal(kFileMagic.begin(), kFileMagic.end(), head.begin(),
                      [](uint8_t magic, char c) { return magic == static_cast<uint8_t>(c); });
  }

  absl::StatusOr<Trace> load(const std::string& path, const LoadOptions&) const override {
    Result<LoadedDprof> loaded = read_dprof(path);
    if (!loaded) return bad_input(loaded.error());
    LoadedDprof& dump = loaded.value();
    for (const std::string& note : dump.notes)
      dump.trace.process.facts.emplace_back("damage", note);
    return std::move(dump.trace);
  }
};

}  // namespace

std::unique_ptr<Importer> make_dprof_importer() { return std::make_unique<DprofImporter>(); }

}  // namespace deepprof
