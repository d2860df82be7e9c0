// --to csv: one row per GPU op, in the order of their starts.
#include "analysis/export/exporter.h"
#include "analysis/report/table.h"

namespace deepprof {
namespace {

constexpr size_t kRowsAtOnce = 4096;

Table columns() {
  Table table;
  table.columns = {{"start_ns", Unit::none, ""},      {"duration_ns", Unit::none, ""},
                   {"device", Unit::none, ""},        {"stream", Unit::none, ""},
                   {"kind", Unit::none, ""},          {"correlation", Unit::none, ""},
                   {"graph_node", Unit::none, ""},    {"launch_ns", Unit::none, ""},
                   {"payload_bytes", Unit::none, ""}, {"name", Unit::none, ""}};
  return table;
}

std::vector<Cell> row_of(const Trace& trace, const Op& op) {
  const Cell launch = op.launch == kNone ? Cell{NotAvailable{"no launch record"}}
                                         : Cell{trace.calls[op.launch].start_ns};
  const bool moves = op.kind == Kind::memcpy || op.kind == Kind::memset;
  const uint64_t size = trace.details[op.detail].bytes;  // of kernels: of collectives alone
  const Cell bytes =
      moves || size != 0 ? Cell{static_cast<int64_t>(size)} : Cell{NotAvailable{"not a copy"}};
  return {op.start_ns,
          op.duration_ns,
          int64_t{op.device},
          int64_t{op.stream},
          std::string(kind_info(op.kind).name),
          int64_t{op.correlation},
          int64_t{op.graph_node},
          launch,
          bytes,
          std::string(trace.names[op.name])};
}

class CsvExporter final : public Exporter {
 public:
  const char* name() const override { return "csv"; }
  const char* suffix() const override { return ".csv"; }
  const char* about() const override {
    return "one row per GPU op: times, device, stream, kind, launch, name";
  }

  bool writes_iterations() const override { return false; }
  bool writes_host() const override { return false; }
  absl::Status write(const ExportedPart& part, Sink& sink) const override {
    RenderOptions options;
    options.format = Format::csv;
    Table table = columns();
    sink.write(render(table, options));
    options.header = false;
    for (const Op& op : part.trace.ops) {
      table.rows.push_back(row_of(part.trace, op));
      if (table.rows.size() < kRowsAtOnce) continue;
      sink.write(render(table, options));
      table.rows.clear();
    }
    sink.write(render(table, options));
    return absl::OkStatus();
  }
};

}  // namespace

std::unique_ptr<Exporter> make_csv_exporter() { return std::make_unique<CsvExporter>(); }

}  // namespace deepprof
