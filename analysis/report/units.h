// Figures for people: scaled units with three significant digits, thousands separators. CSV and
// JSON never use these (they carry raw values with the unit in the column's name). Independent of
// the locale.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/report/table.h"

namespace deepprof {

std::string duration_text(double ns);  // "318 ms", "9.10 us", "-45 ns", "1.91 s", "412 s"
std::string duration_text(double ns,
                          TimeUnit unit);       // "318.400 ms": all in one unit, to the nanosecond
std::string bytes_text(double bytes);           // "1.50 KB", "38.0 MB": powers of 1000
std::string watt_hours_text(double energy_mj);  // "4.25 Wh", "1.206 kWh"
std::string count_text(int64_t count);          // "3,418,220"
// "3", "2.5": how often a repetition has something, on average. Never a rounded 0 for what is
// there.
std::string mean_count_text(uint64_t all, int64_t repetitions);
std::string percent_text(double ratio);            // "65.7 %"
std::string scaled_text(double value, Unit unit);  // any unit
// The shortest decimal text that reads back as the same double: for CSV and JSON.
std::string exact_text(double value);

}  // namespace deepprof
