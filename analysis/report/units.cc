#include "analysis/report/units.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "libdeepprof/text.h"

namespace deepprof {
namespace {

struct Step {
  double size;
  const char* name;
};

std::string three_digits(double value) {
  const double size = std::fabs(value);
  const int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return format_text("%.*f", decimals, value);
}

// The largest step that the value reaches once it is rounded to three digits: 999.6 us is 1.00 ms.
template <size_t N>
std::string scaled(double value, const Step (&steps)[N]) {
  size_t at = 0;
  while (at + 1 < N && std::fabs(value) >= 0.9995 * steps[at + 1].size) ++at;
  const double shown = value / steps[at].size;
  const bool whole = at == 0 && shown == std::floor(shown);
  return (whole ? format_text("%.0f", shown) : three_digits(shown)) + " " + steps[at].name;
}

constexpr Step kTime[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}};
constexpr Step kBytes[] = {{1, "B"}, {1e3, "KB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}};
constexpr Step kPower[] = {{1, "mW"}, {1e3, "W"}, {1e6, "kW"}};
constexpr Step kEnergy[] = {{1, "mJ"}, {1e3, "J"}, {1e6, "kJ"}, {1e9, "MJ"}};

}  // namespace

std::string duration_text(double ns) { return scaled(ns, kTime); }
std::string duration_text(double ns, TimeUnit unit) {
  if (unit == TimeUnit::automatic) return duration_text(ns);
  const auto step = static_cast<size_t>(unit) - static_cast<size_t>(TimeUnit::ns);
  return format_text("%.*f", static_cast<int>(3 * step), ns / kTime[step].size) + " " +
         kTime[step].name;
}
std::string bytes_text(double bytes) { return scaled(bytes, kBytes); }
std::string watt_hours_text(double energy_mj) {
  constexpr double kWattHour_mj = 3.6e6;
  const double wh = energy_mj / kWattHour_mj;
  return wh < 999.5 ? format_text("%.3g Wh", wh) : format_text("%.4g kWh", wh / 1000);
}
std::string percent_text(double ratio) { return format_text("%.1f", 100 * ratio) + " %"; }

std::string count_text(int64_t count) {
  std::string digits = format_text("%lld", static_cast<long long>(count));
  const size_t first = digits[0] == '-' ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) digits.insert(at -= 3, ",");
  return digits;
}

std::string mean_count_text(uint64_t all, int64_t repetitions) {
  const double mean = static_cast<double>(all) / static_cast<double>(repetitions);
  const bool even = mean >= 10 || all % static_cast<uint64_t>(repetitions) == 0;
  if (even) return count_text(static_cast<int64_t>(mean + 0.5));
  return mean >= 0.05    ? format_text("%.1f", mean)
         : mean >= 0.005 ? format_text("%.2f", mean)
                         : "<0.01";
}

std::string scaled_text(double value, Unit unit) {
  switch (unit) {
    case Unit::nanoseconds: return duration_text(value);
    case Unit::bytes: return bytes_text(value);
    case Unit::bytes_per_second: return bytes_text(value) + "/s";
    case Unit::ratio: return percent_text(value);
    case Unit::milliwatts: return scaled(value, kPower);
    case Unit::millijoules: return scaled(value, kEnergy);
    case Unit::celsius: return format_text("%.0f", value) + " C";
    case Unit::count:
    case Unit::none: break;
  }
  // Of a mean or median count, too, what is below one in a thousand is not told.
  if (unit == Unit::count && value >= 1'000 && value < 1e15)
    return count_text(static_cast<int64_t>(std::round(value)));
  const bool whole = std::fabs(value) < 1e15 && value == std::floor(value);
  return whole ? count_text(static_cast<int64_t>(value)) : three_digits(value);
}

std::string exact_text(double value) {
  // As many digits as it needs, six at least.
  constexpr int kFewest = 6;
  char shortest[32];
  const auto end =
      std::to_chars(shortest, shortest + sizeof shortest, value, std::chars_format::scientific);
  const auto digits = std::count_if(shortest, std::find(shortest, end.ptr, 'e'),
                                    [](char c) { return c >= '0' && c <= '9'; });
  char text[64];
  const auto whole = std::to_chars(text, text + sizeof text, value, std::chars_format::general,
                                   std::max(kFewest, static_cast<int>(digits)));
  return {text, whole.ptr};
}

}  // namespace deepprof
