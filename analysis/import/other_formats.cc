#include "analysis/import/other_formats.h"

#include <algorithm>

namespace deepprof {
namespace {

constexpr std::string_view kArchive = "is an archive: unpack it, and give the trace that is in it";

constexpr std::string_view kNsightCompute =
    "is a report of Nsight Compute, which measures single kernels and records no run";

constexpr struct {
  std::string_view begins, words;
} kKnown[] = {
    // .qdrep and .nsys-rep
    {"NVIDIA Tegra Profiler Report",
     "is a report of Nsight Systems, whose format is not public: run `nsys export --type sqlite` "
     "on "
     "it, and give the .sqlite file"},
    {std::string_view("NVR\0", 4), kNsightCompute},
    {"PK\x03\x04", kArchive},
    {"\xFD"
     "7zXZ",
     "is compressed by xz: unpack it first"},
    {"BZh", "is compressed by bzip2: unpack it first"},
    {"\"Kind\",\"Agent_Id\"", "is a table of rocprofv3, which is not read"},
    {"==PROF==", kNsightCompute},
};

constexpr std::string_view kTarMagic = "ustar";
constexpr size_t kTarMagicAt = 257;

}  // namespace

std::string_view what_to_give_instead(std::string_view head) {
  for (const auto& known : kKnown) {
    if (head.starts_with(known.begins)) return known.words;
  }
  if (head.substr(std::min(head.size(), kTarMagicAt)).starts_with(kTarMagic)) return kArchive;
  if (head.starts_with("<?xml") && head.find("<session ") != std::string_view::npos) {
    return "is a workspace of the NVIDIA Visual Profiler, which names recordings and holds none: "
           "give what `nvprof -o` wrote";
  }
  // With --csv it is read, and does not come here.
  if (head.starts_with("==") && (head.find("NVPROF is profiling") != std::string_view::npos ||
                                 head.find("Profiling result:") != std::string_view::npos)) {
    return "is a table of nvprof for people: record with `nvprof -o`, or print it with "
           "`nvprof --print-gpu-trace --csv`";
  }
  return {};
}

std::string_view what_to_give_instead_of_timeline(std::string_view head) {
  const auto holds = [&](std::string_view word) { return head.find(word) != head.npos; };
  if (holds("\"CUDA functions\"")) {
    return "is of torch.autograd.profiler before PyTorch 1.8, which has no kernels and no "
           "launches: "
           "record with torch.profiler";
  }
  if (holds("\"CPU HIP API\"") || holds("\"Hip ")) {
    return "is a timeline of AMD's rocprof or rpd, which is not read: record with torch.profiler, "
           "whose traces of AMD's GPUs are";
  }
  return {};
}

}  // namespace deepprof
