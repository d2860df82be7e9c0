#include "analysis/report/units.h"

#include <bit>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <random>

#include "libdeepprof/text.h"
#include "test/support/catch.h"

using namespace deepprof;

TEST_CASE("energy of a run is told in watt hours, from a thousand on in kilowatt hours") {
  CHECK(watt_hours_text(15'300'000) == "4.25 Wh");
  CHECK(watt_hours_text(3.6e6 * 999.4) == "999 Wh");
  CHECK(watt_hours_text(3.6e6 * 134'200) == "134.2 kWh");
}

TEST_CASE("durations scale to three significant digits and never show 1000 of a unit") {
  CHECK(duration_text(0) == "0 ns");
  CHECK(duration_text(45) == "45 ns");
  CHECK(duration_text(9'104) == "9.10 us");
  CHECK(duration_text(999'600) == "1.00 ms");
  CHECK(duration_text(318'400'000) == "318 ms");
  CHECK(duration_text(1'912'000'000) == "1.91 s");
  CHECK(duration_text(-24'100'000) == "-24.1 ms");
}

TEST_CASE("durations in a given unit keep the nanosecond") {
  CHECK(duration_text(318'400'123, TimeUnit::ms) == "318.400123 ms");
  CHECK(duration_text(1'500, TimeUnit::ns) == "1500 ns");
  CHECK(duration_text(1'500, TimeUnit::automatic) == "1.50 us");
}

TEST_CASE("bytes, counts and shares read the same in every report") {
  CHECK(bytes_text(512) == "512 B");
  CHECK(bytes_text(38'000'000) == "38.0 MB");
  CHECK(count_text(3'418'220) == "3,418,220");
  CHECK(count_text(-1'000) == "-1,000");
  CHECK(count_text(999) == "999");
  CHECK(scaled_text(1'488.5, Unit::count) == "1,489");
  CHECK(scaled_text(12.5, Unit::count) == "12.5");
  CHECK(percent_text(0.657) == "65.7 %");
  CHECK(scaled_text(512'000, Unit::milliwatts) == "512 W");
  CHECK(scaled_text(166'000, Unit::millijoules) == "166 J");
}

TEST_CASE("exact text reads back as the same double") {
  for (const double value : {0.1, 1.0 / 3, 1e300, -2.5e-12, 123456789.125}) {
    CHECK(std::strtod(exact_text(value).c_str(), nullptr) == value);
  }
  CHECK(exact_text(0.1) == "0.1");
  CHECK(exact_text(1000000) == "1e+06");
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    const std::string text = exact_text(value);
    if (std::strtod(text.c_str(), nullptr) != value) FAIL(text);
  }
}

TEST_CASE("a locale with decimal commas does not change a figure") {
  const char* set = std::setlocale(LC_NUMERIC, "de_DE.UTF-8");
  if (set == nullptr)
    WARN("no de_DE.UTF-8 locale on this machine: checked under the C locale only");
  CHECK(exact_text(0.5) == "0.5");
  CHECK(duration_text(1'500) == "1.50 us");
  CHECK(format_text("%.9g", 2.5) == "2.5");
  std::setlocale(LC_NUMERIC, "C");
}
