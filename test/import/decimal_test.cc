#include "analysis/import/decimal.h"

#include "test/support/catch.h"

using namespace deepprof;

TEST_CASE("microseconds of 19 digits and a fraction become exact nanoseconds") {
  CHECK(decimal_shifted("1365627862757.064", 3) == 1365627862757064);
  CHECK(decimal_shifted("1695835572943613", 3) == 1695835572943613000);
  CHECK(decimal_shifted("4458676522690.65", 3) == 4458676522690650);
  CHECK(decimal_shifted("9223372036854775.807", 3) == INT64_MAX);
  CHECK(decimal_shifted("0.001", 3) == 1);
  CHECK(decimal_shifted("0", 3) == 0);
  CHECK(decimal_shifted("-12.5", 3) == -12500);
}

TEST_CASE("digits behind the nanosecond round") {
  CHECK(decimal_shifted("1.0004", 3) == 1000);
  CHECK(decimal_shifted("1.0005", 3) == 1001);
  CHECK(decimal_shifted("1.99999", 3) == 2000);
  CHECK(decimal_shifted("0.5", 0) == 1);
  CHECK(decimal_shifted("0.0004999", 3) == 0);
}

TEST_CASE("exponents are numbers too") {
  CHECK(decimal_shifted("1.5e3", 3) == 1'500'000);
  CHECK(decimal_shifted("1695835542514261e0", 3) == 1695835542514261000);
  CHECK(decimal_shifted("25E-1", 0) == 3);
  CHECK(decimal_shifted("1e-99999999999", 3) == 0);
  CHECK(decimal_shifted("0e99999999999", 3) == 0);
}

TEST_CASE("what is no number, or does not fit, is nothing") {
  for (const char* text :
       {"", "-", "abc", ".5", "1e", "1e+", "9223372036854775.808", "1e30", "null"}) {
    INFO(text);
    CHECK_FALSE(decimal_shifted(text, 3).has_value());
  }
}
