// Checks for the values of options: they say what was expected and what stands there, in words of
// ours instead of the parser's.
#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "analysis/cli/words.h"
#include "analysis/export/sink.h"

namespace deepprof {

inline bool is_whole_number(const std::string& text) {
  constexpr size_t kMostDigits = 18;  // fits int64_t
  return !text.empty() && text.size() <= kMostDigits &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

inline CLI::Validator whole_number() {
  return CLI::Validator(
      [](std::string& text) {
        return is_whole_number(text) ? std::string()
                                     : "expected a whole number, not \"" + text + "\"";
      },
      "");
}

inline CLI::Validator whole_number_between(int64_t least, int64_t most) {
  return CLI::Validator(
      [least, most](std::string& text) {
        const bool fits =
            is_whole_number(text) && std::stoll(text) >= least && std::stoll(text) <= most;
        return fits ? std::string()
                    : "expected a whole number from " + std::to_string(least) + " to " +
                          std::to_string(most) + ", not \"" + text + "\"";
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

// The name of a file that is to be created: refused before the work whose result it takes.
inline CLI::Validator new_file() {
  return CLI::Validator([](std::string& path) { return why_not_created(path); }, "");
}

inline CLI::Validator one_of(std::vector<std::string> words) {
  return CLI::Validator(
      [words = std::move(words)](std::string& text) {
        for (const std::string& word : words) {
          if (text == word) return std::string();
        }
        const std::string meant = closest_word(text, words);
        return "expected one of " + joined(words) + ", not \"" + text + "\"" +
               (meant.empty() ? "" : "; did you mean " + meant + "?");
      },
      "");
}

}  // namespace deepprof
