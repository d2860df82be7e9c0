// What a GPU op's name and kind show of its part in the job. Used by make_sequence().
#pragma once

#include <string_view>

namespace deepprof {

// A kernel that updates parameters: multi_tensor_apply, Adam, SGD, LAMB ... (but no C++ lambda).
bool names_optimizer(std::string_view kernel_name);

// A kernel, or an annotation, of a backward pass. Not "dgrad": a transposed convolution is computed
// so forwards, too.
bool names_gradient(std::string_view name);

}  // namespace deepprof
