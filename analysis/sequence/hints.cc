#include "analysis/sequence/hints.h"

#include <string>

namespace deepprof {
namespace {

bool has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

// "lamb" but not the "lambda" of every second PyTorch kernel.
bool names_lamb(std::string_view name) {
  for (size_t at = name.find("lamb"); at != std::string_view::npos;
       at = name.find("lamb", at + 4)) {
    if (name.substr(at, 6) != "lambda") return true;
  }
  return false;
}

// torch._foreach_copy_, by which compiled graphs take their inputs, among others; as it is and
// mangled.
bool names_foreach_copy(std::string_view name) {
  return has(name, "multi_tensor_apply") && (has(name, "::copy<") || has(name, "4copyi"));
}

}  // namespace

bool names_optimizer(std::string_view kernel_name) {
  std::string name(kernel_name);
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (names_foreach_copy(name)) return false;
  // Foreach kernels carry everything in their template arguments; L2 norms and scalings for
  // gradient clipping use them too, next to the optimizer, so they may stand in its burst.
  for (const char* word :
       {"multi_tensor_apply", "multitensorapply", "adam", "distributed_optim", "adagrad", "rmsprop",
        "applygradientdescent", "applymomentum", "sgd_", "fusedsgd", "fused_sgd", "sgdfunctor",
        "novograd", "adafactor", "lion_"}) {
    if (has(name, word)) return true;
  }
  return names_lamb(name);
}

bool names_gradient(std::string_view name) {
  for (const char* word :
       {"backward", "Backward", "_bwd", "bwd_", "wgrad", "bprop", "transpose(jvp("}) {
    if (has(name, word)) return true;
  }
  return false;
}

}  // namespace deepprof
