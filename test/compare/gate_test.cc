// How often a gate of 5 % is right and wrong, at a thousand pairs: what docs/metrics.md promises.
#include "test/compare/gate_counts.h"
#include "test/support/catch.h"

using namespace deepprof::test;

TEST_CASE("of a thousand pairs of runs alike a gate of 5 % fires on less than one in a hundred") {
  CHECK(count_gate(7000, 1000, 0).fired < 10);
}

TEST_CASE("of a thousand pairs of which one run is 8 % slower it fires on 95 in a hundred") {
  CHECK(count_gate(70'000, 1000, 0.08).fired >= 950);
}

TEST_CASE("what is slower by less than its limit a gate lets pass") {
  CHECK(count_gate(700'000, 120, 0.02).fired <= 3);
}
