#include "analysis/report/summary.h"

#include <string>

#include "analysis/report/utf8.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"

using namespace deepprof;
using deepprof::test::TraceBuilder;

namespace {

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

void check_width(const std::string& text, size_t width) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    CHECK(static_cast<size_t>(display_width(text.substr(at, end - at))) <= width);
    at = end + 1;
  }
}

}  // namespace

TEST_CASE("a run without iterations is accounted whole") {
  TraceBuilder t;
  t.launch("cudaLaunchKernel", 0, 5).kernel("ampere_sgemm", 10, 40);
  t.launch("cudaLaunchKernel", 100, 105).kernel("vectorized_elementwise_kernel", 110, 120);
  const std::string text = summary_text(t.build(), Mined{}, SummaryOptions{});
  INFO(text);
  CHECK(has(text, "no iteration structure found"));
  CHECK(has(text, "whole run 110.0 us"));
  CHECK(has(text, "host outside CUDA"));
  check_width(text, 100);
}

TEST_CASE("the data line says what the recording cannot tell") {
  TraceBuilder launches, all;
  launches.launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 40);
  CHECK(has(summary_text(launches.build(), Mined{}, {}), "no calls but launches recorded"));
  all.launch("cudaLaunchKernel", 0, 5).kernel("a", 10, 40).call("cudaDeviceSynchronize", 6, 40);
  CHECK_FALSE(has(summary_text(all.build(), Mined{}, {}), "no calls but launches recorded"));
  TraceBuilder none;
  none.correlation(3).kernel("a", 10, 40);
  CHECK(has(summary_text(none.build(), Mined{}, {}), "no API records"));
}

TEST_CASE("an empty trace is said to be empty") {
  const std::string text = summary_text(TraceBuilder().build(), Mined{}, SummaryOptions{});
  CHECK(has(text, "no GPU op was recorded"));
}
