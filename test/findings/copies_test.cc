// What is found of copies, and what is advised.
#include <string>

#include "test/findings/found.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using namespace deepprof::test;

TEST_CASE("copies of pageable memory are found where copies cost something") {
  TraceBuilder t;
  t.kernel("gemm", 0, 1000).copy(CopyKind::host_to_device, 1000, 1100, 1 << 20);
  CHECK(finding(findings_of(t.build()), "pageable_copies") != nullptr);
  t = TraceBuilder();
  t.kernel("gemm", 0, 1000).copy(CopyKind::host_to_device, 1000, 1100, 1 << 20, MemoryKind::pinned);
  CHECK(finding(findings_of(t.build()), "pageable_copies") == nullptr);
  t = TraceBuilder();
  t.kernel("gemm", 0, 1000).copy(CopyKind::host_to_device, 1000, 1001, 1 << 20);
  CHECK(finding(findings_of(t.build()), "pageable_copies") == nullptr);
}

TEST_CASE("copies within the GPU are not told to be made ahead from pinned memory") {
  for (const CopyKind kind : {CopyKind::device_to_device, CopyKind::host_to_device}) {
    TraceBuilder t;
    t.kernel("gemm", 0, 1000).copy(kind, 1000, 1100, 1 << 20, MemoryKind::pinned);
    const Findings findings = findings_of(t.build());
    REQUIRE(finding(findings, "copy_bound") != nullptr);
    const bool inside = kind == CopyKind::device_to_device;
    CHECK((finding(findings, "copy_bound")->next_step.find("within the GPU") !=
           std::string::npos) == inside);
  }
}

TEST_CASE("copies to the host and pages that move ask for other remedies than a loader") {
  TraceBuilder back, pages;
  back.kernel("gemm", 0, 1000).copy(CopyKind::device_to_host, 1000, 1200, 1 << 20);
  const auto found = findings_of(back.build());
  REQUIRE(finding(found, "copy_bound") != nullptr);
  REQUIRE(finding(found, "pageable_copies") != nullptr);
  CHECK(says(finding(found, "copy_bound")->next_step, "copies to the host"));
  CHECK(says(finding(found, "pageable_copies")->next_step, "Read back into pinned memory"));
  pages.kernel("gemm", 0, 1000).copy(CopyKind::host_to_device, 1000, 1200, 1 << 20);
  Trace trace = pages.build();
  trace.details.back().source = trace.details.back().destination = MemoryKind::managed;
  const auto moved = findings_of(trace);
  REQUIRE(finding(moved, "copy_bound") != nullptr);
  CHECK(says(finding(moved, "copy_bound")->next_step, "cudaMemPrefetchAsync"));
}

TEST_CASE("small copies are not told to use pinned memory") {
  TraceBuilder t;
  t.kernel("gemm", 0, 1000);
  for (int64_t at = 1000; at < 1200; at += 20) t.copy(CopyKind::host_to_device, at, at + 10, 86);
  CHECK(finding(findings_of(t.build()), "pageable_copies") == nullptr);
}

TEST_CASE("copies are advised on by what is exposed of them, not by what kernels hide") {
  TraceBuilder t;
  t.kernel("gemm", 0, 1000).stream(8).copy(CopyKind::device_to_device, 100, 600, 1 << 20);
  t.stream(9).copy(CopyKind::host_to_device, 1000, 1200, 1 << 20);
  const Findings findings = findings_of(t.build());
  REQUIRE(finding(findings, "copy_bound") != nullptr);
  CHECK(finding(findings, "copy_bound")->next_step.find("within the GPU") == std::string::npos);
}
