#include "analysis/report/quantity.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "libdeepprof/text.h"

namespace deepprof {
namespace {

struct TimeUnitSize {
  const char* name;
  int64_t ns;
};
constexpr std::array<TimeUnitSize, 4> kTimeUnits{
    {{"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}, {"ns", 1}}};

const TimeUnitSize& unit_for(double ns) {
  for (const TimeUnitSize& unit : kTimeUnits) {
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
  if (ns < 0) return "-" + time_text(-std::max(ns, -INT64_MAX));
  const TimeUnitSize& unit = unit_for(static_cast<double>(ns));
  const double value = static_cast<double>(ns) / static_cast<double>(unit.ns);
  if (unit.ns == 1) return format_text("%lld ns", static_cast<long long>(ns));
  const bool seconds = unit.name[0] == 's';
  return format_text("%.*f %s", value >= 10 ? 1 : seconds ? 3 : 2, value, unit.name);
}

std::vector<int64_t> rounded_to_sum(std::span<const int64_t> parts, double quantum, int64_t whole) {
  std::vector<int64_t> rounded(parts.size(), 0);
  std::vector<double> over(parts.size(), 0);  // how much more than its part each says
  std::vector<size_t> order;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] > 0) order.push_back(i);
  }
  if (order.empty()) return rounded;
  int64_t left = whole;
  for (const size_t i : order) {
    const double exact = static_cast<double>(parts[i]) / quantum;
    rounded[i] = static_cast<int64_t>(exact + 0.5);
    over[i] = static_cast<double>(rounded[i]) - exact;
    left -= rounded[i];
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return left > 0 ? over[a] < over[b] : over[a] > over[b];
  });
  for (size_t next = 0; left != 0; next = (next + 1) % order.size()) {
    int64_t& part = rounded[order[next]];
    const int64_t step = left > 0 ? 1 : -1;
    if (part + step < 0) continue;
    part += step;
    left -= step;
  }
  return rounded;
}

int64_t rounded_mean(int64_t sum, int64_t count) {
  const int64_t n = std::max<int64_t>(1, count);
  return sum / n + (sum % n >= n - n / 2 ? 1 : 0);
}

void TimeColumn::choose_unit(double total_ns) {
  const TimeUnitSize& unit = unit_for(total_ns);
  unit_ = unit.name;
  unit_ns_ = static_cast<double>(unit.ns);
  decimals_ = unit.ns == 1 ? 1 : decimals_for(total_ns / unit_ns_);
}

void TimeColumn::round(std::span<const int64_t> parts_ns, int64_t count) {
  const double quantum_ns = unit_ns_ / static_cast<double>(power_of_ten(decimals_));
  quanta_ = rounded_to_sum(parts_ns, quantum_ns * static_cast<double>(std::max<int64_t>(1, count)),
                           total_quanta_);
}

TimeColumn::TimeColumn(std::span<const int64_t> parts_ns, int64_t count) {
  const int64_t sum = std::accumulate(parts_ns.begin(), parts_ns.end(), int64_t{0});
  const double total_ns =
      static_cast<double>(sum) / static_cast<double>(std::max<int64_t>(1, count));
  choose_unit(total_ns);
  total_quanta_ = static_cast<int64_t>(
      total_ns * static_cast<double>(power_of_ten(decimals_)) / unit_ns_ + 0.5);
  round(parts_ns, count);
}

TimeColumn::TimeColumn(std::span<const int64_t> parts_ns, int64_t count, const TimeColumn& whole,
                       size_t part)
    : TimeColumn(parts_ns, count) {
  // Too few digits in the other column: its own say more, and agree as far as those go.
  constexpr int64_t kEnough = 100;
  if (whole.quanta_[part] < kEnough) return;
  unit_ = whole.unit_;
  unit_ns_ = whole.unit_ns_;
  decimals_ = whole.decimals_;
  total_quanta_ = whole.quanta_[part];
  round(parts_ns, count);
}

std::string TimeColumn::shown(int64_t quanta) const {
  const int64_t scale = power_of_ten(decimals_);
  return format_text("%lld.%0*lld %s", static_cast<long long>(quanta / scale), decimals_,
                     static_cast<long long>(quanta % scale), unit_);
}

std::string TimeColumn::text(size_t index) const { return shown(quanta_[index]); }

std::string TimeColumn::rest(const TimeColumn& other, size_t index) const {
  if (other.unit_ns_ != unit_ns_ || other.decimals_ != decimals_) return {};
  return shown(std::max<int64_t>(0, total_quanta_ - other.quanta_[index]));
}

std::string TimeColumn::part(size_t index) const {
  std::string part = text(index);
  const size_t width = std::max<size_t>(8, total().size());
  if (part.size() < width) part.insert(0, width - part.size(), ' ');
  return part;
}

std::string TimeColumn::total() const { return shown(total_quanta_); }

std::vector<std::string> percent_column(std::span<const int64_t> parts) {
  std::vector<std::string> texts;
  const int64_t sum = std::accumulate(parts.begin(), parts.end(), int64_t{0});
  for (const int64_t permille : rounded_to_sum(parts, static_cast<double>(sum) / 1000, 1000)) {
    texts.push_back(format_text("%3lld.%lld %%", static_cast<long long>(permille / 10),
                                static_cast<long long>(permille % 10)));
  }
  return texts;
}

}  // namespace deepprof
