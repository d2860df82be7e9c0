// What is read of every op of the run, by column: what follows need not read the events again, and
// its loops become vector instructions. Used by the run recorder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "libdeepprof/event/event.h"

namespace deepprof {

class OpColumns {
 public:
  static constexpr size_t kReadBehind = 32;  // items behind the last that can be read

  // Replaces what it holds by these ops. Those that come again have passed already, and add no
  // time.
  void read(std::span<const Event> ops);

  std::span<const NameId> names() const { return std::span(names_).first(count_); }
  const int32_t* durations_ns() const { return durations_ns_.data(); }
  // False: some durations are too long for their column.
  bool all_short() const { return all_short_; }
  // Time that these ops cover and none before them.
  int64_t busy_ns() const { return busy_ns_; }
  int64_t busy_until_ns() const { return busy_until_ns_; }

 private:
  size_t count_ = 0;
  std::vector<NameId> names_;
  std::vector<int32_t> durations_ns_;
  bool any_ = false, all_short_ = true;
  bool ascending_ = true;  // of the ops read last each ended behind the one before
  int64_t busy_ns_ = 0, busy_until_ns_ = 0;
};

}  // namespace deepprof
