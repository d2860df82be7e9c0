#include "analysis/import/json_text.h"

#include <cstdint>

namespace deepprof {
namespace {

void append_utf8(std::string& out, uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

// Four hexadecimal digits at the start of `text`; -1: none.
int32_t hex4(std::string_view text) {
  if (text.size() < 4) return -1;
  int32_t value = 0;
  for (const char c : text.substr(0, 4)) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return -1;
    value = 16 * value + digit;
  }
  return value;
}

bool is_high(int32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(int32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

// `text` begins behind "\u". Returns how many bytes were used, 0 when there are no four digits.
size_t append_unicode(std::string& out, std::string_view text) {
  const int32_t unit = hex4(text);
  if (unit < 0) return 0;
  if (!is_high(unit)) {
    append_utf8(out, is_low(unit) ? 0xFFFD : static_cast<uint32_t>(unit));
    return 4;
  }
  const int32_t second = text.substr(4, 2) == "\\u" ? hex4(text.substr(6)) : -1;
  if (!is_low(second)) {
    append_utf8(out, 0xFFFD);
    return 4;
  }
  append_utf8(out, 0x10000 + (static_cast<uint32_t>(unit - 0xD800) << 10) +
                       static_cast<uint32_t>(second - 0xDC00));
  return 10;
}

}  // namespace

std::string unescape_json(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  for (size_t at = 0; at < raw.size(); ++at) {
    if (raw[at] != '\\' || at + 1 == raw.size()) {
      out += raw[at];
      continue;
    }
    const char c = raw[++at];
    constexpr std::string_view kLetters = "nrtbf", kMeant = "\n\r\t\b\f";
    if (const size_t letter = kLetters.find(c); letter != std::string_view::npos) {
      out += kMeant[letter];
    } else if (c == '"' || c == '\\' || c == '/') {
      out += c;
    } else if (const size_t used = c == 'u' ? append_unicode(out, raw.substr(at + 1)) : 0;
               used > 0) {
      at += used;
    } else {
      (out += '\\') += c;
    }
  }
  return out;
}

}  // namespace deepprof
