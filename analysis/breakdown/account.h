// Where the time of a window goes, in integer nanoseconds that add up exactly.
//
// One sweep over a device's ops gives the account of any number of windows (iterations, sections,
// the whole run; they may touch, nest or overlap). Called by the exit path and the command,
// single-threaded; memory is a few words for each distinct window border.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/categories/categories.h"
#include "analysis/model/trace.h"

namespace deepprof {

// What a GPU op is for, in the order in which time is claimed: a nanosecond in which several run
// counts for the first of them.
enum class Activity : uint8_t { compute, communication, memcpy, memset };
inline constexpr size_t kActivities = 4;
const char* activity_name(Activity activity);  // "compute", "communication", ...

Activity activity_of(const Op& op, std::span<const CategoryId> category_of_name);

struct Account {
  int64_t wall_ns = 0;
  std::array<int64_t, kActivities>
      exposed_ns{};                              // exclusive: with idle_ns and not_recorded_ns they
                                                 // sum to wall_ns
  std::array<int64_t, kActivities> united_ns{};  // |union| of the ops of each activity
  int64_t kernels_ns = 0;                        // |union| of compute and communication
  int64_t overlap_ns = 0;                        // |communication ∩ compute|
  int64_t idle_ns = 0;                           // nothing runs on the device
  // no op is known, and some are missing (Trace::holes)
  int64_t not_recorded_ns = 0;

  int64_t recorded_ns() const { return wall_ns - not_recorded_ns; }
  int64_t busy_ns() const { return recorded_ns() - idle_ns; }
  int64_t exposed(Activity activity) const { return exposed_ns[static_cast<size_t>(activity)]; }
  int64_t united(Activity activity) const { return united_ns[static_cast<size_t>(activity)]; }

  Account& operator+=(const Account& other);
  Account& operator-=(const Account& other);
  friend bool operator==(const Account&, const Account&) = default;
};

// A half-open stretch of time.
struct Window {
  int64_t start_ns = 0, end_ns = 0;
  friend bool operator==(const Window&, const Window&) = default;
};

// The account of each window, ops clipped at its borders. `ops` are indices into trace.ops of one
// device in ascending order (so by start); a window that ends before it starts is empty.
std::vector<Account> account_windows(const Trace& trace, std::span<const uint32_t> ops,
                                     std::span<const CategoryId> category_of_name,
                                     std::span<const Window> windows);

// First start to last end of `ops`; empty for none.
Window span_of(const Trace& trace, std::span<const uint32_t> ops);

// The distinct borders of windows, ascending: the times at which a sweep has to take stock.
std::vector<int64_t> borders_of(std::span<const Window> windows);
size_t border_index(std::span<const int64_t> borders, int64_t time_ns);

}  // namespace deepprof
