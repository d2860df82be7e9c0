// Checks for options that take a number: they say what stands there instead of a range of doubles.
#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdlib>
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

inline CLI::Validator positive_number() {
  return CLI::Validator(
      [](std::string& text) {
        char* end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        const bool positive = end != text.c_str() && *end == 0 && std::isfinite(value) && value > 0;
        return positive ? std::string() : "expected a number above 0, not \"" + text + "\"";
      },
      "");
}

}  // namespace deepprof
