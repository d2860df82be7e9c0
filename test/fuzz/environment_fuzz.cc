// Any bytes as the environment of a job, entries apart by newlines: reading the options neither
// crashes nor leaves anything outside what the library can work with, and a complaint is one
// printable line.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "inject/options.h"
#include "inject/output.h"
#include "test/fuzz/fuzz_target.h"

using namespace deepprof;

namespace {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  for (char& c : bytes) {
    if (c == '\n') c = '\0';
  }
  std::vector<const char*> entries;
  for (size_t at = 0; at < bytes.size(); at += std::char_traits<char>::length(&bytes[at]) + 1)
    entries.push_back(&bytes[at]);
  entries.push_back(nullptr);

  const Options options = read_options(entries.data());
  const Rank rank = read_rank(entries.data());
  require(options.flush_interval_ns >= 1'000'000 && options.flush_interval_ns <= 60'000'000'000,
          "flush interval");
  require(options.max_file_bytes == 0 || options.max_file_bytes >= 1 << 20, "file ceiling");
  require(options.max_memory_bytes >= 8 << 20, "memory ceiling");
  require(options.delay_ns >= 0 && options.duration_ns >= 0, "recorded part");
  require(options.delay_ns + options.duration_ns < INT64_MAX / 4, "recorded part beyond the clock");
  require(options.rearm_after_ns.value_or(0) >= 0, "re-arming");
  require(options.sample_interval_ns >= 0 && options.sample_interval_ns <= 60'000'000'000,
          "sample interval");
  require(options.cpu_process.empty() ||
              (options.cpu_process[0] >= '0' && options.cpu_process[0] <= '9'),
          "process to record");
  for (const int number : options.ranks) require(number >= 0, "ranks");
  require(options.batch >= 0, "batch");
  require(rank.rank >= -1 && rank.world_size >= -1, "rank");
  for (const std::string& complaint : options.complaints) {
    require(complaint.size() < 200, "a complaint is one short line");
    for (const char c : complaint)
      require(static_cast<unsigned char>(c) >= ' ', "a complaint is printable");
  }
  require(output_stem(options, rank).front() == '/', "the output is an absolute path");
  return 0;
}
