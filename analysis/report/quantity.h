// Figures of the summary that add up: what is printed under a total sums to it to the last digit.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace deepprof {

// "812 ns", "9.12 us", "318.4 ms", "1.912 s": a digit more than a table's cell (units.h), because
// the figures of the summary are compared with each other.
std::string time_text(int64_t ns);

// `parts` divided by `quantum`, each rounded to the nearest; what is then missing from `whole`
// goes, a unit each, to those that are nearest to the other side, so that the result adds up to
// `whole` exactly and no part is told wrong by a unit. All parts >= 0; all zero: every result is 0.
// `whole` is their sum / quantum, or next to it.
std::vector<int64_t> rounded_to_sum(std::span<const int64_t> parts, double quantum, int64_t whole);

// The mean of `count` things, to the nearest: what is printed per iteration is this, everywhere.
int64_t rounded_mean(int64_t sum, int64_t count);

// A column of times in one unit whose printed figures add up to the printed total.
class TimeColumn {
 public:
  // `parts` are sums over `count` repetitions; what is printed is the mean of each.
  TimeColumn(std::span<const int64_t> parts_ns, int64_t count);
  // The parts of one part of another column: they add up to what that column prints for it. In its
  // unit, with more decimals where it is too small for them.
  TimeColumn(std::span<const int64_t> parts_ns, int64_t count, const TimeColumn& whole,
             size_t part);

  std::string text(size_t index) const;  // "213.5 ms"
  std::string part(size_t index) const;  // the same, right-aligned to the same width
  std::string total() const;
  // The total less one part of a column as this one or of the same digits; empty: it has others.
  std::string rest(const TimeColumn& other, size_t index) const;

 private:
  void choose_unit(double total_ns);
  void round(std::span<const int64_t> parts_ns, int64_t count);
  std::string shown(int64_t quanta) const;

  std::vector<int64_t> quanta_;  // in units of the last digit
  int64_t total_quanta_ = 0;
  const char* unit_ = "ns";
  double unit_ns_ = 1;
  int decimals_ = 0;
};

// Shares that add up to exactly 100.0 %: " 65.7 %".
std::vector<std::string> percent_column(std::span<const int64_t> parts);

}  // namespace deepprof
