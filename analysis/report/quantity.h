// Figures of the summary that add up: what is printed under a total sums to it to the last digit.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace deepprof {

// "812 ns", "9.12 us", "318.4 ms", "1.912 s": a digit more than a table's cell (units.h), because the
// figures of the summary are compared with each other.
std::string time_text(int64_t ns);

// Splits `whole` units over the parts in proportion, so that the pieces add up to `whole` exactly
// (largest remainders get what rounding left). All parts >= 0; all zero: every piece is 0.
std::vector<int64_t> apportion(std::span<const int64_t> parts, int64_t whole);

// A column of times in one unit whose printed figures add up to the printed total.
class TimeColumn {
 public:
  // `parts` are sums over `count` repetitions; what is printed is the mean of each.
  TimeColumn(std::span<const int64_t> parts_ns, int64_t count);

  std::string part(size_t index) const;  // "213.5 ms", right-aligned to the same width
  std::string total() const;
  double total_ns() const { return total_ns_; }

 private:
  std::string shown(int64_t quanta) const;
  std::vector<int64_t> quanta_;
  int64_t total_quanta_ = 0;
  double total_ns_ = 0;
  const char* unit_ = "ns";
  int decimals_ = 0;
};

// Shares that add up to exactly 100.0 %: " 65.7 %".
std::vector<std::string> percent_column(std::span<const int64_t> parts);

}  // namespace deepprof
