#include "analysis/report/utf8.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace deepprof {
namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr std::string_view kReplacementBytes = "\xEF\xBF\xBD";
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

struct Range {
  char32_t first, last;
};

// The blocks that matter in practice, ascending; not the whole of Unicode's tables.
constexpr Range kZeroWidth[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x064B, 0x065F},
    {0x0E31, 0x0E31}, {0x0E34, 0x0E3A}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
    {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x2064}, {0x20D0, 0x20FF},
    {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0xE0100, 0xE01EF}};
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},
    {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFD}};

template <size_t N>
bool in_ranges(const Range (&ranges)[N], char32_t value) {
  const auto* found =
      std::lower_bound(std::begin(ranges), std::end(ranges), value,
                       [](const Range& range, char32_t v) { return range.last < v; });
  return found != std::end(ranges) && found->first <= value;
}

bool is_control(char32_t value) { return value < 0x20 || (value >= 0x7F && value < 0xA0); }

}  // namespace

CodePoint decode_utf8(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80) return {lead, 1, true};
  size_t length = 0;
  char32_t value = 0, smallest = 0;
  if ((lead & 0xE0) == 0xC0) {
    length = 2, value = lead & 0x1F, smallest = 0x80;
  } else if ((lead & 0xF0) == 0xE0) {
    length = 3, value = lead & 0x0F, smallest = 0x800;
  } else if ((lead & 0xF8) == 0xF0) {
    length = 4, value = lead & 0x07, smallest = 0x10000;
  } else {
    return {kReplacement, 1, false};
  }
  for (size_t i = 1; i < length; ++i) {
    if (i >= text.size() || (static_cast<uint8_t>(text[i]) & 0xC0) != 0x80)
      return {kReplacement, i, false};
    value = (value << 6) | (static_cast<uint8_t>(text[i]) & 0x3F);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < smallest || surrogate || value > 0x10FFFF) return {kReplacement, length, false};
  return {value, length, true};
}

int code_point_width(char32_t value) {
  if (value < 0x300) return 1;
  if (in_ranges(kZeroWidth, value)) return 0;
  return in_ranges(kWide, value) ? 2 : 1;
}

int display_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
    width += code_point_width(point.value);
    text.remove_prefix(point.bytes);
  }
  return width;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
    if (!point.valid) {
      out += kReplacementBytes;
    } else if (is_control(point.value)) {
      out += ' ';
    } else {
      out.append(text.substr(0, point.bytes));
    }
    text.remove_prefix(point.bytes);
  }
  return out;
}

std::string fit_width(std::string_view text, int width) {
  std::string clean = printable(text);
  if (display_width(clean) <= width) return clean;
  if (width <= 0) return "";
  std::string_view rest = clean;
  int used = 0;
  while (!rest.empty()) {
    const CodePoint point = decode_utf8(rest);
    if (used + code_point_width(point.value) > width - 1) break;
    used += code_point_width(point.value);
    rest.remove_prefix(point.bytes);
  }
  clean.resize(clean.size() - rest.size());
  clean += kEllipsis;
  return clean;
}

}  // namespace deepprof
