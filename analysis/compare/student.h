// Student's t distribution, for the few degrees of freedom that a handful of iterations leave.
#pragma once

namespace deepprof {

// The probability that |T| is larger than |t|. 1 for t = 0; degrees > 0, need not be whole.
double student_tail(double t, double degrees);

// The t that |T| exceeds with probability `tail` (0 < tail < 1).
double student_bound(double tail, double degrees);

}  // namespace deepprof
