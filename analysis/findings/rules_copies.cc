// Findings about communication and copies.
#include <algorithm>
#include <array>

#include "analysis/breakdown/account.h"
#include "analysis/findings/rules.h"
#include "analysis/model/launches.h"
#include "analysis/report/pageable.h"
#include "analysis/report/units.h"
#include "libdeepprof/text.h"

namespace deepprof {

namespace {

// Whether the GPUs that communicate are all in this trace, as far as it says.
bool holds_all_ranks(const Case& c) {
  const auto communicate = std::count_if(
      c.figures.devices.begin(), c.figures.devices.end(),
      [](const DeviceFigures& device) { return device.run.united(Activity::communication) > 0; });
  return communicate > 1 && communicate >= c.trace.process.world_size;
}

}  // namespace

void communication_bound(const Case& c, Findings& out) {
  const int64_t ns = c.device.basis.exposed(Activity::communication);
  const char* level = band(c.share(ns), 0.03, 0.15);
  if (*level == 0) return;
  Finding finding = c.about(FindingKind::communication_bound, Activity::communication);
  finding.sentence = format_text(
      "%s communication-bound: %s of communication with no compute beside it (compute hides %s of "
      "the %s in all).",
      level, c.exposed(Activity::communication).c_str(),
      c.texts.hidden(Activity::communication).c_str(),
      c.texts.in_all(Activity::communication).c_str());
  finding.next_step = c.advice(Advice::overlap_communication) +
                      std::string(holds_all_ranks(c) ? "deepprof comm --ranks."
                                                     : "deepprof comm with the files of all "
                                                       "ranks.");
  out.push_back(std::move(finding));
}

namespace {

bool is_inside(CopyKind kind) {
  return kind == CopyKind::device_to_device || kind == CopyKind::array_to_array ||
         kind == CopyKind::device_to_array || kind == CopyKind::array_to_device;
}

// Where copies go decides what helps.
enum class Route : uint8_t { to_device, to_host, inside, migration };
constexpr size_t kRoutes = 4;

Route route_of(const Trace& trace, const Op& op) {
  if (is_migration(trace, op)) return Route::migration;
  const CopyKind kind = trace.details[op.detail].copy_kind;
  if (is_inside(kind)) return Route::inside;
  const bool to_host = kind == CopyKind::device_to_host || kind == CopyKind::array_to_host;
  return to_host ? Route::to_host : Route::to_device;
}

// The route of most of the copies' exposed time.
Route main_route(const Case& c) {
  std::vector<uint32_t> ops = basis_ops(c.trace, c.figures, c.device);
  std::sort(ops.begin(), ops.end());
  const Window all = span_of(c.trace, ops);
  std::array<int64_t, kRoutes> exposed{};
  for (size_t route = 0; route < kRoutes; ++route) {
    std::vector<uint32_t> some;  // these copies, and what hides them
    for (const uint32_t index : ops) {
      const Op& op = c.trace.ops[index];
      if (op.kind != Kind::memcpy || route_of(c.trace, op) == static_cast<Route>(route))
        some.push_back(index);
    }
    const std::vector<Account> account =
        account_windows(c.trace, some, c.figures.category_of_name, {&all, 1});
    exposed[route] = account[0].exposed(Activity::memcpy);
  }
  return static_cast<Route>(std::max_element(exposed.begin(), exposed.end()) - exposed.begin());
}

Advice advice_for(Route route) {
  switch (route) {
    case Route::to_device: return Advice::copy_ahead;
    case Route::to_host: return Advice::copy_back_less;
    case Route::inside: return Advice::copy_less;
    case Route::migration: return Advice::prefetch_pages;
  }
  return Advice::copy_ahead;
}

}  // namespace

void copy_bound(const Case& c, Findings& out) {
  const int64_t ns = c.device.basis.exposed(Activity::memcpy);
  const char* level = band(c.share(ns), 0.03, 0.15);
  if (*level == 0) return;
  Finding finding = c.about(FindingKind::copy_bound, Activity::memcpy);
  finding.sentence = format_text("%s copy-bound: %s of copies with no kernel beside them.", level,
                                 c.exposed(Activity::memcpy).c_str());
  finding.next_step = c.advice(advice_for(main_route(c)));
  out.push_back(std::move(finding));
}

void pageable_copies(const Case& c, Findings& out) {
  uint64_t all = 0, pageable = 0, back = 0;
  for (const uint32_t index : c.device.shown()) {
    const Op& op = c.trace.ops[index];
    if (op.kind != Kind::memcpy || op.detail >= c.trace.details.size()) continue;
    const Detail& detail = c.trace.details[op.detail];
    all += detail.bytes;
    if (!pays_for_pageable(detail)) continue;
    pageable += detail.bytes;
    if (detail.destination == MemoryKind::pageable) back += detail.bytes;
  }
  const double share = all > 0 ? static_cast<double>(pageable) / static_cast<double>(all) : 0;
  const int64_t memcpy_ns = c.device.basis.united(Activity::memcpy);
  // Only where copying costs anything at all.
  if (share < 0.10 || c.share(memcpy_ns) < 0.005) return;
  Finding finding;
  finding.kind = FindingKind::pageable_copies;
  finding.sentence =
      format_text("%s of copied bytes use pageable memory, %s in the run; copies take %s.",
                  percent_text(share).c_str(), bytes_text(static_cast<double>(pageable)).c_str(),
                  c.amount(memcpy_ns).c_str());
  finding.next_step = c.advice(2 * back > pageable ? Advice::pin_results : Advice::pin_memory);
  finding.share = c.share(memcpy_ns);
  out.push_back(std::move(finding));
}

}  // namespace deepprof
