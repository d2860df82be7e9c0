#include "analysis/ranks/collective_name.h"

#include <string>

#include "analysis/categories/readable_name.h"

namespace deepprof {
namespace {

double none(double) { return 0; }
double once(double) { return 1; }
double others(double ranks) { return (ranks - 1) / ranks; }
double twice_others(double ranks) { return 2 * others(ranks); }

struct Rule {
  std::string_view part;  // of the name in lower case without underscores
  CollectiveName is;
};
// The first that fits: "reduce" is a part of others.
constexpr Rule kRules[] = {
    {"allreduce", {"all-reduce", twice_others}},
    {"crossdevicereduce", {"all-reduce", twice_others}},  // vLLM's and SGLang's own
    {"reducescatter", {"reduce-scatter", others}},
    {"allgather", {"all-gather", others}},
    {"alltoall", {"all-to-all", others}},
    {"sendrecv", {"send/receive", none}},
    {"broadcast", {"broadcast", once}},
    {"reduce", {"reduce", once}},
};

}  // namespace

CollectiveName collective_name(std::string_view kernel) {
  std::string name;
  for (const char c : without_arguments(kernel)) {
    if (c != '_') name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  for (const Rule& rule : kRules) {
    if (name.find(rule.part) != std::string::npos) return rule.is;
  }
  return {"", none};
}

}  // namespace deepprof
