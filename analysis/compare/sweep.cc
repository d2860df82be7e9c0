#include "analysis/compare/sweep.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "analysis/compare/difference.h"
#include "analysis/compare/student.h"
#include "analysis/compare/words.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr double kMillion = 1e6, kSecondsPerHour = 3600;

std::string lowered(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}
bool holds(const std::string& text, const std::string& part) {
  return lowered(text).find(lowered(part)) != std::string::npos;
}

std::string hardware_of(const RunProfile& run) {
  return run.gpu.empty() ? run.on_gpu ? "GPU" : "CPU" : run.gpu;
}

std::string value_of(const RunProfile& run, const std::string& by) {
  if (by == "batch") return run.batch > 0 ? format_text("%g", run.batch) : "";
  if (by == "gpu") return hardware_of(run);
  if (is_tag(by)) {
    for (const auto& [name, value] : run.tags) {
      if (name == varied_name(by)) return value;
    }
    return "";
  }
  return run.label;
}

bool differs(std::span<const RunProfile> runs, const std::string& by) {
  const std::string first = value_of(runs[0], by);
  return std::any_of(runs.begin(), runs.end(),
                     [&](const RunProfile& run) { return value_of(run, by) != first; });
}

// The first of what people vary that the runs differ in.
std::string what_differs(std::span<const RunProfile> runs) {
  for (const char* by : {"gpu", "batch"}) {
    if (differs(runs, by)) return by;
  }
  for (const auto& [name, value] : runs[0].tags) {
    if (differs(runs, kTag + name)) return kTag + name;
  }
  return "run";
}

double number_in(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return text.empty() || *end != 0 ? kUnknown : value;
}

double price_of(const RunProfile& run, const SweepOptions& options) {
  for (const auto& [name, price] : options.prices) {
    const bool meant = holds(hardware_of(run), name) || holds(run.label, name) ||
                       (run.on_gpu && lowered(name) == "gpu");
    if (meant) return price * static_cast<double>(std::max<size_t>(run.devices, 1));
  }
  return kUnknown;
}

void set_interval(const RunProfile& run, SweepPoint& point) {
  point.low_ns = point.high_ns = kUnknown;
  const Spread spread = spread_of(run[Measure::iteration].values, run.resamples, Over::all);
  if (spread.degrees <= 0) return;
  const double reach = spread.error * student_bound(kChance, spread.degrees);
  point.low_ns = point.time_ns - reach;
  point.high_ns = point.time_ns + reach;
}

SweepPoint point_of(const RunProfile& run, const Sweep& sweep, const SweepOptions& options) {
  SweepPoint point;
  point.run = &run;
  point.value = value_of(run, sweep.by);
  point.number = number_in(point.value);
  const bool timed = run[Measure::iteration].known && !run.whole_run;
  point.time_ns = timed ? run[Measure::iteration].mean : kUnknown;
  if (timed) set_interval(run, point);
  point.items_per_s = run.batch > 0 ? run.batch * 1e9 / point.time_ns : kUnknown;
  point.energy_per_item_mj = timed && run.batch > 0 && run[Measure::energy].known
                                 ? run[Measure::energy].mean / run.batch
                                 : kUnknown;
  point.price_per_hour = price_of(run, options);
  const double per_s = sweep.per_item ? point.items_per_s : 1e9 / point.time_ns;
  point.cost = point.price_per_hour / kSecondsPerHour / per_s * kMillion;
  return point;
}

}  // namespace

bool is_sweep_word(const std::string& by) {
  return by == "batch" || by == "gpu" || (is_tag(by) && !varied_name(by).empty());
}

Sweep sweep_runs(std::span<const RunProfile> runs, const SweepOptions& options) {
  Sweep sweep;
  sweep.by = options.by.empty() ? what_differs(runs) : lowered(options.by);
  sweep.per_item =
      std::all_of(runs.begin(), runs.end(), [](const RunProfile& run) { return run.batch > 0; });
  sweep.has_prices = !options.prices.empty();
  for (const RunProfile& run : runs) sweep.points.push_back(point_of(run, sweep, options));
  const bool numbers =
      std::none_of(sweep.points.begin(), sweep.points.end(),
                   [](const SweepPoint& point) { return std::isnan(point.number); });
  if (numbers) {
    std::stable_sort(sweep.points.begin(), sweep.points.end(),
                     [](const SweepPoint& a, const SweepPoint& b) { return a.number < b.number; });
  }
  const auto per_s = [&](const SweepPoint& point) {
    return sweep.per_item ? point.items_per_s : 1e9 / point.time_ns;
  };
  for (SweepPoint& point : sweep.points) point.pace = per_s(point) / per_s(sweep.points[0]);
  sweep.findings = sweep_findings(sweep);
  return sweep;
}

}  // namespace deepprof
