#include "test/support/recorded.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>

#include "analysis/import/load.h"

namespace deepprof::test {
namespace {

using Identity = std::tuple<int64_t, int64_t, uint32_t, uint32_t, uint32_t, std::string>;

Identity identity(const Trace& trace, const Op& op) {
  // processes of Nsight Systems are told apart above
  constexpr uint32_t kIdInFile = (1u << 28) - 1;
  return {op.start_ns,
          op.duration_ns,
          op.device,
          op.stream,
          op.correlation & kIdInFile,
          std::string(trace.names[op.name])};
}

}  // namespace

LabelledTrace read_recorded(const std::string& name) {
  LabelledTrace truth = read_corpus_truth(name);
  for (const char* suffix : {".json.gz", ".sqlite", ".json"}) {
    const std::string path = corpus_folder() + "/traces/" + name + suffix;
    if (access(path.c_str(), R_OK) != 0) continue;
    auto loaded = load_trace(path);
    if (!loaded.ok())
      throw std::runtime_error(path + ": " + std::string(loaded.status().message()));
    std::multimap<Identity, int> steps;
    for (size_t i = 0; i < truth.trace.ops.size(); ++i)
      steps.emplace(identity(truth.trace, truth.trace.ops[i]), truth.step[i]);
    LabelledTrace result;
    result.name = name;
    result.trace = *std::move(loaded);
    result.trace.ranges.clear();  // the miner does not read them, and variants copy the trace
    for (const Op& op : result.trace.ops) {
      const auto found = steps.find(identity(result.trace, op));
      if (found == steps.end())
        throw std::runtime_error(path + ": an op that its truth table lacks");
      result.step.push_back(found->second);
      steps.erase(found);
    }
    return result;
  }
  return truth;
}

}  // namespace deepprof::test
