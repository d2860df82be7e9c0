// Any bytes as the content of a trace file: a trace or one clear line, never a crash.
#include <cstdio>
#include <cstdlib>

#include "analysis/device/memory_use.h"
#include "analysis/import/load.h"
#include "test/fuzz/fuzz_target.h"
#include "test/import/temporary_file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const deepprof::test::TemporaryFile file(
      std::string_view(reinterpret_cast<const char*>(data), size));
  const auto trace = deepprof::load_trace(file.path());
  if (trace.ok()) {
    for (const deepprof::Op& op : trace->ops) {
      if (op.duration_ns < 0 || op.detail >= trace->details.size()) std::abort();
      if (op.launch != deepprof::kNone && op.launch >= trace->calls.size()) std::abort();
    }
    deepprof::MemoryIndex(*trace).totals();
    for (const deepprof::HostCall& call : trace->calls) {
      if (call.thread >= trace->threads.size()) std::abort();
    }
    return 0;
  }
  const std::string message(trace.status().message());
  if (message.find(file.path()) == std::string::npos || message.find('\n') != std::string::npos) {
    std::fprintf(stderr, "not one line that names the file: %s\n", message.c_str());
    std::abort();
  }
  return 0;
}
