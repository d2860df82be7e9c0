#include "analysis/import/decimal.h"

#include <algorithm>

namespace deepprof {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Appends a digit; false when the value leaves int64_t.
bool append_digit(int64_t& value, int digit) {
  return !__builtin_mul_overflow(value, int64_t{10}, &value) &&
         !__builtin_add_overflow(value, int64_t{digit}, &value);
}

// The exponent of a number such as 1.5e+3; false where it is malformed. Clamped: beyond it all is 0
// or does not fit anyway.
bool read_exponent(std::string_view text, int& exponent) {
  if (text.empty() || (text[0] != 'e' && text[0] != 'E')) return true;
  text.remove_prefix(1);
  const bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+')) text.remove_prefix(1);
  if (text.empty() || !is_digit(text[0])) return false;
  int size = 0;
  for (; !text.empty() && is_digit(text[0]); text.remove_prefix(1)) {
    size = std::min(10'000, 10 * size + (text[0] - '0'));
  }
  exponent = negative ? -size : size;
  return true;
}

constexpr int64_t kPowersOfTen[] = {1,       10,        100,        1'000,       10'000,
                                    100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};

// What nearly all numbers are: at most 18 digits in all, no more behind the point than the shift
// takes in.
std::optional<int64_t> short_decimal(std::string_view text, int shift) {
  int64_t value = 0;
  int digits = 0, behind = 0;
  bool fraction = false;
  for (const char c : text) {
    if (is_digit(c)) {
      if (++digits > 18 - shift) return std::nullopt;
      value = 10 * value + (c - '0');
      behind += fraction ? 1 : 0;
    } else if (c == '.' && !fraction && digits > 0) {
      fraction = true;
    } else {
      return std::nullopt;
    }
  }
  if (digits == 0 || behind > shift) return std::nullopt;
  return value * kPowersOfTen[shift - behind];
}

}  // namespace

std::optional<int64_t> decimal_shifted(std::string_view text, int shift) {
  if (const auto value = short_decimal(text, shift)) return value;
  const bool negative = !text.empty() && text[0] == '-';
  if (negative) text.remove_prefix(1);
  if (text.empty() || !is_digit(text[0])) return std::nullopt;

  size_t whole = 0;
  while (whole < text.size() && is_digit(text[whole])) ++whole;
  size_t end = whole;
  if (end < text.size() && text[end] == '.') {
    ++end;
    while (end < text.size() && is_digit(text[end])) ++end;
  }
  int exponent = 0;
  if (!read_exponent(text.substr(end), exponent)) return std::nullopt;

  // Digits in front of the (shifted) point count, the first one behind it rounds.
  const int64_t wanted = static_cast<int64_t>(whole) + shift + exponent;
  int64_t value = 0, taken = 0;
  int next = 0;
  for (size_t at = 0; at < end && taken <= wanted; ++at) {
    if (text[at] == '.') continue;
    const int digit = text[at] - '0';
    if (taken++ == wanted) {
      next = digit;
    } else if (!append_digit(value, digit)) {
      return std::nullopt;
    }
  }
  for (; taken < wanted; ++taken) {
    if (value == 0) break;
    if (!append_digit(value, 0)) return std::nullopt;
  }
  if (next >= 5 && __builtin_add_overflow(value, int64_t{1}, &value)) return std::nullopt;
  return negative ? -value : value;
}

}  // namespace deepprof
