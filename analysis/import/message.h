// Error statuses from parts. (absl::StrCat takes no std::string_view where Abseil was built for
// C++14, as Debian's is.)
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "absl/status/status.h"

namespace deepprof {

template <typename... Parts>
std::string concat(const Parts&... parts) {
  std::string out;
  const auto append = [&out](const auto& part) {
    if constexpr (std::is_convertible_v<decltype(part), std::string_view>) {
      out += std::string_view(part);
    } else {
      out += std::to_string(part);
    }
  };
  (append(parts), ...);
  return out;
}

// The input is not what was expected.
template <typename... Parts>
absl::Status bad_input(const Parts&... parts) {
  return absl::InvalidArgumentError(concat(parts...));
}

// The input is damaged or cannot be read to its end.
template <typename... Parts>
absl::Status damaged_input(const Parts&... parts) {
  return absl::DataLossError(concat(parts...));
}

}  // namespace deepprof
