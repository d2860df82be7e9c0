#include "inject/exit_summary.h"

#include "test/support/catch.h"

namespace deepprof {

TEST_CASE(
    "a summary that is ready in time is printed, and its time cannot end in the middle of it") {
  SummaryGate gate;
  CHECK(gate.pass());
  CHECK_FALSE(gate.shut());
}

TEST_CASE("a summary that comes too late is not printed") {
  SummaryGate gate;
  CHECK(gate.shut());
  CHECK_FALSE(gate.pass());
}

}  // namespace deepprof
