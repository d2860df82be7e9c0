// What a GPU op's name and kind show of its part in the job. Used by make_sequence().
#pragma once

#include <string_view>

namespace deepprof {

// A kernel that updates parameters: multi_tensor_apply, Adam, SGD, LAMB ... (but no C++ lambda).
bool names_optimizer(std::string_view kernel_name);

}  // namespace deepprof
