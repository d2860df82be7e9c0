#include "analysis/report/quantity.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "libdeepprof/text.h"

namespace deepprof {
namespace {

struct TimeUnit {
  const char* name;
  int64_t ns;
};
constexpr std::array<TimeUnit, 4> kTimeUnits{{{"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}, {"ns", 1}}};

const TimeUnit& unit_for(double ns) {
  for (const TimeUnit& unit : kTimeUnits) {
    if (ns >= static_cast<double>(unit.ns)) return unit;
  }
  return kTimeUnits.back();
}

// Four significant digits, and never more than one decimal from 100 up.
int decimals_for(double value) { return value >= 100 ? 1 : value >= 10 ? 2 : 3; }

int64_t power_of_ten(int exponent) {
  int64_t power = 1;
  while (exponent-- > 0) power *= 10;
  return power;
}

}  // namespace

std::string time_text(int64_t ns) {
  if (ns < 0) return "-" + time_text(-ns);
  const TimeUnit& unit = unit_for(static_cast<double>(ns));
  const double value = static_cast<double>(ns) / static_cast<double>(unit.ns);
  if (unit.ns == 1) return format_text("%lld ns", static_cast<long long>(ns));
  const bool seconds = unit.name[0] == 's';
  return format_text("%.*f %s", value >= 10 ? 1 : seconds ? 3 : 2, value, unit.name);
}

std::vector<int64_t> apportion(std::span<const int64_t> parts, int64_t whole) {
  std::vector<int64_t> pieces(parts.size(), 0);
  const int64_t sum = std::accumulate(parts.begin(), parts.end(), int64_t{0});
  if (sum <= 0) return pieces;
  std::vector<size_t> by_remainder(parts.size());
  std::iota(by_remainder.begin(), by_remainder.end(), size_t{0});
  std::vector<int64_t> remainder(parts.size());
  int64_t left = whole;
  for (size_t i = 0; i < parts.size(); ++i) {
    const __int128 scaled = static_cast<__int128>(parts[i]) * whole;
    pieces[i] = static_cast<int64_t>(scaled / sum);
    remainder[i] = static_cast<int64_t>(scaled % sum);
    left -= pieces[i];
  }
  std::stable_sort(by_remainder.begin(), by_remainder.end(),
                   [&](size_t a, size_t b) { return remainder[a] > remainder[b]; });
  for (size_t i = 0; left > 0 && i < by_remainder.size(); ++i, --left) ++pieces[by_remainder[i]];
  return pieces;
}

TimeColumn::TimeColumn(std::span<const int64_t> parts_ns, int64_t count) {
  const int64_t sum = std::accumulate(parts_ns.begin(), parts_ns.end(), int64_t{0});
  total_ns_ = static_cast<double>(sum) / static_cast<double>(std::max<int64_t>(1, count));
  const TimeUnit& unit = unit_for(total_ns_);
  unit_ = unit.name;
  decimals_ = unit.ns == 1 ? 1 : decimals_for(total_ns_ / static_cast<double>(unit.ns));
  const double quantum_ns = static_cast<double>(unit.ns) / static_cast<double>(power_of_ten(decimals_));
  total_quanta_ = static_cast<int64_t>(total_ns_ / quantum_ns + 0.5);
  quanta_ = apportion(parts_ns, total_quanta_);
}

std::string TimeColumn::shown(int64_t quanta) const {
  const int64_t scale = power_of_ten(decimals_);
  return format_text("%lld.%0*lld %s", static_cast<long long>(quanta / scale), decimals_,
                     static_cast<long long>(quanta % scale), unit_);
}

std::string TimeColumn::part(size_t index) const {
  std::string text = shown(quanta_[index]);
  const size_t width = std::max<size_t>(8, total().size());
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}

std::string TimeColumn::total() const { return shown(total_quanta_); }

std::vector<std::string> percent_column(std::span<const int64_t> parts) {
  std::vector<std::string> texts;
  for (const int64_t permille : apportion(parts, 1000)) {
    texts.push_back(format_text("%3lld.%lld %%", static_cast<long long>(permille / 10),
                                static_cast<long long>(permille % 10)));
  }
  return texts;
}

}  // namespace deepprof
