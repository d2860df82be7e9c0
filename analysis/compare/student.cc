#include "analysis/compare/student.h"

#include <cmath>

namespace deepprof {
namespace {

// The continued fraction of the incomplete beta function by Lentz's method; converges fast for
// x < (a + 1) / (a + b + 2).
double beta_fraction(double x, double a, double b) {
  constexpr double kTiny = 1e-300, kEnough = 1e-14;
  constexpr int kMostTerms = 500;
  const auto away_from_zero = [](double value) { return std::fabs(value) < kTiny ? kTiny : value; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), result = d;
  for (int m = 1; m <= kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    result *= d * c;
    if (std::fabs(d * c - 1) < kEnough) break;
  }
  return result;
}

// `rest` is 1 - x, given apart because it may be too small to be seen in x.
double incomplete_beta(double x, double rest, double a, double b) {
  if (x <= 0) return 0;
  if (rest <= 0) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log(rest));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(x, a, b) / a;
  return 1 - front * beta_fraction(rest, b, a) / b;
}

}  // namespace

double student_tail(double t, double degrees) {
  const double whole = degrees + t * t;
  return incomplete_beta(degrees / whole, t * t / whole, degrees / 2, 0.5);
}

double student_bound(double tail, double degrees) {
  double low = 0, high = 1;
  while (student_tail(high, degrees) > tail && high < 1e12) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-10 * high; ++i) {
    const double middle = (low + high) / 2;
    (student_tail(middle, degrees) > tail ? low : high) = middle;
  }
  return high;
}

}  // namespace deepprof
