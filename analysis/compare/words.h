// Words that the texts and tables of a comparison share.
#pragma once

#include <string>

#include "analysis/report/units.h"

namespace deepprof {

inline constexpr int kPageColumns = 100;     // where there is no terminal to ask
inline constexpr const char* kTag = "tag:";  // before the name of a label in SweepOptions::by

inline std::string signed_text(double value, Unit unit) {
  std::string text = scaled_text(value + 0.0, unit);  // -0 + 0 is 0
  if (text.find_first_of("123456789") == std::string::npos && text.starts_with('-'))
    text.erase(0, 1);  // what rounds to 0 has no direction
  return (text.starts_with('-') ? "" : "+") + text;
}

inline std::string signed_percent(double ratio) { return signed_text(ratio, Unit::ratio); }

inline bool is_tag(const std::string& by) { return by.rfind(kTag, 0) == 0; }
// The label's name; for "batch" and "gpu" the word itself.
inline std::string varied_name(const std::string& by) {
  return is_tag(by) ? by.substr(std::string(kTag).size()) : by;
}

}  // namespace deepprof
