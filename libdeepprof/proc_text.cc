#include "libdeepprof/proc_text.h"

#include <algorithm>
#include <charconv>

namespace deepprof {

std::vector<int64_t> numbers_of(std::string_view line) {
  std::vector<int64_t> numbers;
  const char* at = line.data();
  const char* const end = at + line.size();
  while (true) {
    while (at != end && (*at == ' ' || *at == '\t')) ++at;
    int64_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc()) return numbers;
    numbers.push_back(number);
    at = next;
  }
}

std::vector<int64_t> numbers_behind_state(std::string_view text) {
  constexpr std::string_view kBetween = ") S ";
  const size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos || name_end + kBetween.size() > text.size()) return {};
  return numbers_of(text.substr(name_end + kBetween.size()));
}

std::string_view line_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (line.substr(0, key.size()) == key) return line.substr(key.size());
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return {};
}

}  // namespace deepprof
