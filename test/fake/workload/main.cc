// make_workload OUTPUT: writes the recording of a modelled ResNet-50 training job, for replay by
// fake_host. The job is modelled, not measured: say so wherever its figures are shown.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "test/fake/workload/resnet.h"

namespace deepprof::fake {
namespace {

constexpr char kUsage[] =
    "usage: make_workload OUTPUT [--iterations N] [--warmup N] [--batch N] [--evaluate-every N]\n"
    "  [--evaluation-batches N] [--checkpoint-every N] [--stall-share S] [--seed N] [--jitter J]\n"
    "  [--allocations 1] [--leak-bytes N]\n";

int refuse(const std::string& what) {
  fprintf(stderr, "make_workload: %s\n%s", what.c_str(), kUsage);
  return 1;
}

int run(int argc, char** argv) {
  ResnetOptions options;
  std::string output;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--", 0) != 0) {
      output = word;
      continue;
    }
    if (++i >= argc) return refuse(word + " takes a value");
    const double value = atof(argv[i]);
    const auto count = static_cast<uint32_t>(value);
    if (word == "--iterations") options.iterations = count;
    else if (word == "--warmup") options.warmup = count;
    else if (word == "--batch") options.batch = count;
    else if (word == "--evaluate-every") options.evaluate_every = count;
    else if (word == "--evaluation-batches") options.evaluation_batches = count;
    else if (word == "--checkpoint-every") options.checkpoint_every = count;
    else if (word == "--stall-share") options.stall_share = value;
    else if (word == "--seed") options.seed = strtoull(argv[i], nullptr, 10);
    else if (word == "--allocations") options.allocations = count != 0;
    else if (word == "--leak-bytes") options.leak_bytes = strtoull(argv[i], nullptr, 10);
    else if (word == "--jitter") options.jitter = value;
    else return refuse(word + " is not an option");
  }
  if (output.empty()) return refuse("takes an output file");
  const Modelled modelled = model_resnet(options);
  if (const std::string error = recording::write(output, modelled.recording); !error.empty()) {
    fprintf(stderr, "make_workload: %s\n", error.c_str());
    return 1;
  }
  const auto& r = modelled.recording;
  printf(
      "%s: modelled ResNet-50 training, %u iterations, %zu GPU ops, %zu API calls, %zu threads\n",
      output.c_str(), options.iterations, r.ops.size(), r.calls.size(), r.threads.size());
  return 0;
}

}  // namespace
}  // namespace deepprof::fake

int main(int argc, char** argv) { return deepprof::fake::run(argc, argv); }
