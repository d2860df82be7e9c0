#include "analysis/cli/duration_option.h"

#include "analysis/import/decimal.h"
#include "analysis/import/message.h"

namespace deepprof {

absl::StatusOr<int64_t> duration_of(const std::string& option, const std::string& text) {
  const size_t digits = text.find_first_not_of("0123456789.");
  const std::string number = text.substr(0, digits);
  const size_t unit_start =
      digits == std::string::npos ? digits : text.find_first_not_of(' ', digits);
  const std::string unit = unit_start == std::string::npos ? "ns" : text.substr(unit_start);
  constexpr struct {
    const char* name;
    int digits;
  } kUnits[] = {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}};
  for (const auto& known : kUnits) {
    if (unit != known.name || number.empty()) continue;
    if (const auto value = decimal_shifted(number, known.digits)) return *value;
  }
  return bad_input(option, " ", text, ": expected a length of time such as 100us or 1.5ms");
}

}  // namespace deepprof
