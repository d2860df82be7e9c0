// Any bytes as a .dprof file: the reader neither crashes nor hangs, and a trace that it returns is
// whole. Of a small one the figures are computed too: times and values that no recorder writes must
// not overflow there.
//
// The first byte chooses: even, the rest is the file; odd, the checksums in the rest are made right
// first, so that what lies behind them is reached. One in eight goes on to the figures.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "analysis/iterations/mine.h"
#include "analysis/model/dprof.h"
#include "analysis/online/number_over_run.h"
#include "analysis/report/device_sections.h"
#include "analysis/report/host_operators.h"
#include "analysis/report/page.h"
#include "analysis/report/summary.h"
#include "libdeepprof/trace/chunk.h"
#include "libdeepprof/trace/crc32c.h"
#include "test/fuzz/fuzz_target.h"

using namespace deepprof;

namespace {

constexpr size_t kFewRows = 1000;

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

// Lays a right file header and a chain of right chunk headers over the bytes.
void make_checksums_right(Bytes& file) {
  if (file.size() < kFileHeaderBytes) return;
  const auto file_header = encode_file_header();
  std::copy(file_header.begin(), file_header.end(), file.begin());
  for (size_t at = kFileHeaderBytes; at + kChunkHeaderBytes <= file.size();) {
    const std::span<uint8_t> rest = std::span(file).subspan(at);
    ByteReader fields(ByteSpan(rest).subspan(kChunkMagic.size()));
    ChunkHeader header;
    header.type = static_cast<ChunkType>(fields.take<uint16_t>() % (kChunkTypeCount + 1));
    fields.take<uint16_t>();
    header.length = fields.take<uint32_t>();
    header.segment = fields.take<uint32_t>() % 8;
    header.sequence = fields.take<uint64_t>();
    const size_t room = rest.size() - kChunkHeaderBytes;
    if (header.length > room) header.length = static_cast<uint32_t>(room);
    header.payload_crc = crc32c(ByteSpan(rest).subspan(kChunkHeaderBytes, header.length));
    encode(header, rest.first<kChunkHeaderBytes>());
    at += kChunkHeaderBytes + header.length;
  }
}

void check_trace(const Trace& trace) {
  for (const Op& op : trace.ops) {
    check(op.detail < trace.details.size(), "an op's detail exists");
    check(op.name < trace.names.size(), "an op's name exists");
    check(op.launch == kNone || op.launch < trace.calls.size(), "an op's launch exists");
    check(is_gpu_op(op.kind), "an op is a GPU op");
    check(op.duration_ns >= 0, "an op's duration is not negative");
  }
  for (const HostCall& call : trace.calls) {
    check(call.detail < trace.details.size(), "a call's detail exists");
    check(call.name < trace.names.size(), "a call's name exists");
  }
  for (const Range& range : trace.ranges)
    check(range.name < trace.names.size(), "a range's name exists");
  for (const Sample& sample : trace.samples)
    check(sample.metric < trace.names.size(), "a metric exists");
  check(std::is_sorted(trace.ops.begin(), trace.ops.end(),
                       [](const Op& a, const Op& b) { return a.start_ns < b.start_ns; }),
        "ops are in order");
}

// Whatever the file says, its tables can be made: under a sanitizer an overflow on the way is a
// failure.
void compute_everything(const Trace& trace) {
  Mined mined = mine(trace);
  number_over_run(trace, mined);
  const Figures figures = compute_figures(trace, mined);
  for (const DeviceFigures& device : figures.devices) {
    int64_t parts_ns = device.run.idle_ns + device.run.not_recorded_ns;
    for (const int64_t exposed : device.run.exposed_ns) parts_ns += exposed;
    check(parts_ns == device.run.wall_ns, "the parts of the run's account are its wall time");
  }
  const IterationRows rows(figures, Names::raw);
  Table iterations = rows.table();
  UseColumns(trace, 64, Names::raw).add(rows.all(), iterations);
  gpu_use_table(trace, figures, 64, Names::raw);
  host_use_table(trace, figures, Names::raw);
  steps_table(trace);
  findings_table(trace, figures, Names::raw);
  summary_text(trace, figures, {});
  Page page(100, false);  // which the summary has of jobs without GPU ops alone
  host_operators_part(trace, page);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  Bytes file(data + 1, data + size);
  if (data[0] % 2 == 1) make_checksums_right(file);
  const auto loaded = read_dprof(MemorySource(file), "fuzz.dprof");
  if (loaded.ok()) {
    const Trace& trace = loaded.value().trace;
    check_trace(trace);
    if (data[0] % 16 < 2 && trace.ops.size() + trace.samples.size() < kFewRows)
      compute_everything(trace);
  } else {
    check(loaded.error().find("fuzz.dprof: ") == 0, "an error names its file");
    check(loaded.error().find('\n') == std::string::npos, "an error is one line");
  }
  return 0;
}
