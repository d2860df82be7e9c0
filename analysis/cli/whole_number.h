// A check for options that take a whole number: says what stands there instead of a range of doubles.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace deepprof {

inline CLI::Validator whole_number() {
  constexpr size_t kMostDigits = 18;  // fits int64_t
  return CLI::Validator(
      [](std::string& text) {
        const bool whole = !text.empty() && text.size() <= kMostDigits &&
                           text.find_first_not_of("0123456789") == std::string::npos;
        return whole ? std::string() : "expected a whole number, not \"" + text + "\"";
      },
      "");
}

}  // namespace deepprof
