// The figures of the summary's columns WHERE THE TIME GOES and WHY THE GPU WAS IDLE as text.
// Whoever says one of them (the columns, a finding) takes it from here, so that one number never
// reads as two.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/figures.h"
#include "analysis/report/quantity.h"

namespace deepprof {

class BasisText {
 public:
  explicit BasisText(const DeviceFigures& device);

  // What the wall time is made of: the exposed activities, then idle, then what was not recorded,
  // if any.
  static constexpr size_t kIdle = kActivities;
  const std::vector<int64_t>& parts() const { return parts_; }
  const TimeColumn& times() const { return times_; }                  // of parts()
  const std::vector<std::string>& shares() const { return shares_; }  // of the wall time
  const TimeColumn& causes() const { return causes_; }
  const std::vector<std::string>& cause_shares() const {
    return cause_shares_;
  }  // of the idle time

  // "62.75 ms": a repetition without the exposed time of an activity, without the idle time of a
  // cause. Empty: the digits of the columns do not tell.
  std::string without(Activity activity) const {
    return times_.rest(times_, static_cast<size_t>(activity));
  }
  std::string without(Cause cause) const {
    return times_.rest(causes_, static_cast<size_t>(cause));
  }

  // "2.40 ms": communication, copies or fills in all, exposed or not. "69.2 %": how much of that
  // other work hides.
  std::string in_all(Activity activity) const;
  std::string hidden(Activity activity) const;

 private:
  const DeviceFigures& device_;
  std::vector<int64_t> parts_;
  TimeColumn times_;
  std::vector<std::string> shares_;
  TimeColumn causes_;
  std::vector<std::string> cause_shares_;
};

}  // namespace deepprof
