// nvprof's printed trace: `nvprof --csv --print-gpu-trace`, with `--print-api-trace` too if the
// calls are wanted. Lines of "==" are its chatter; a header names the columns, the line behind it
// their units.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "analysis/import/byte_stream.h"
#include "analysis/import/clamped.h"
#include "analysis/import/decimal.h"
#include "analysis/import/distinct_details.h"
#include "analysis/import/importer.h"
#include "analysis/import/memory_names.h"
#include "analysis/import/message.h"
#include "analysis/import/thread_table.h"

namespace deepprof {
namespace {

constexpr std::string_view kHeader = "\"Start\",\"Duration\",";

// The text of a source, line by line.
class Lines {
 public:
  explicit Lines(ByteStream& source) : source_(source) {}

  // Valid until the next call; nothing at the end.
  absl::StatusOr<std::optional<std::string_view>> next() {
    size_t end, searched = at_;
    while ((end = buffer_.find('\n', searched)) == std::string::npos) {
      buffer_.erase(0, at_);
      at_ = 0;
      const size_t had = searched = buffer_.size();
      if (had > kLongestLine)
        return damaged_input("a line is longer than ", kLongestLine, " bytes");
      buffer_.resize(had + kStep);
      auto got = source_.read(buffer_.data() + had, kStep);
      if (!got.ok()) return got.status();
      buffer_.resize(had + *got);
      if (*got == 0) {
        if (buffer_.empty()) return std::optional<std::string_view>();
        buffer_ += '\n';  // the last line ended with the file
      }
    }
    std::string_view line(buffer_.data() + at_, end - at_);
    if (line.ends_with('\r')) line.remove_suffix(1);
    at_ = end + 1;
    return std::optional(line);
  }

 private:
  static constexpr size_t kStep = size_t{1} << 18, kLongestLine = size_t{4} << 20;
  ByteStream& source_;
  std::string buffer_;
  size_t at_ = 0;
};

// "a","b ""c""",d
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"') cells.back() += line[i++];
      else quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  return cells;
}

// Decimal places between a unit of time and the nanosecond.
std::optional<int> places_of(std::string_view unit) {
  if (unit == "s") return 9;
  if (unit == "ms") return 6;
  if (unit == "us") return 3;
  if (unit == "ns") return 0;
  return std::nullopt;
}
double bytes_of(std::string_view unit) {
  if (unit == "KB") return 1024.0;
  if (unit == "MB") return 1024.0 * 1024;
  if (unit == "GB") return 1024.0 * 1024 * 1024;
  return 1;
}

class NvprofTable {
 public:
  explicit NvprofTable(Trace& trace) : trace_(trace), details_(trace), threads_(trace) {}

  void set_columns(std::string_view header) {
    columns_.clear();
    units_.clear();
    for (const std::string& name : cells_of(header)) columns_.emplace(name, columns_.size());
  }
  bool wants_units() const { return !columns_.empty() && units_.empty(); }
  bool set_units(std::string_view line) {
    units_ = cells_of(line);
    const auto start = places_of(unit("Start")), duration = places_of(unit("Duration"));
    start_places_ = start.value_or(0);
    duration_places_ = duration.value_or(0);
    return start && duration;
  }

  void add_row(std::string_view line) {
    row_ = cells_of(line);
    const auto start = decimal_shifted(cell("Start"), start_places_);
    const auto duration = decimal_shifted(cell("Duration"), duration_places_);
    if (!start || !duration) {
      ++trace_.losses[Loss::import_skipped];
      return;
    }
    auto [name, correlation] = name_and_correlation();
    if (cell("Device").empty()) {
      HostCall call;
      call.start_ns = *start;
      call.duration_ns = std::max<int64_t>(0, *duration);
      call.correlation = correlation;
      call.name = trace_.names.intern(name);
      call.thread = threads_.index("0", "unknown thread");
      trace_.calls.push_back(call);
      return;
    }
    Op op;
    op.start_ns = *start;
    op.duration_ns = *duration;
    op.correlation = correlation;
    op.device = device();
    op.context = clamped<uint32_t>(number("Context"));
    op.stream = clamped<uint32_t>(number("Stream"));
    fill_kind(name, op);
    trace_.ops.push_back(op);
  }

 private:
  std::string_view at(const std::vector<std::string>& cells, std::string_view column) const {
    const auto found = columns_.find(column);
    return found != columns_.end() && found->second < cells.size()
               ? std::string_view(cells[found->second])
               : std::string_view();
  }
  std::string_view cell(std::string_view column) const { return at(row_, column); }
  std::string_view unit(std::string_view column) const { return at(units_, column); }
  int64_t number(std::string_view column) const { return integer_of(cell(column)).value_or(0); }
  uint64_t bytes(std::string_view column) const {
    constexpr int kPlaces = 6;
    const auto millionths = decimal_shifted(cell(column), kPlaces);
    if (!millionths || *millionths < 0) return 0;
    constexpr double kMost = 0x1p62;  // garbage must not leave the range of llround
    return static_cast<uint64_t>(std::llround(
        std::min(kMost, static_cast<double>(*millionths) * 1e-6 * bytes_of(unit(column)))));
  }

  // Without a column of its own the correlation id stands behind the name: "gemm(int) [123]".
  std::pair<std::string, uint32_t> name_and_correlation() const {
    std::string name(cell("Name"));
    if (columns_.count("Correlation_ID") != 0)
      return {name, clamped<uint32_t>(number("Correlation_ID"))};
    const size_t open = name.rfind(" [");
    if (open == std::string::npos || !name.ends_with(']')) return {name, 0};
    const auto id = integer_of(std::string_view(name).substr(open + 2, name.size() - open - 3));
    if (!id) return {name, 0};
    name.resize(open);
    return {name, clamped<uint32_t>(*id)};
  }

  // "Tesla V100-SXM2-16GB (0)".
  uint16_t device() {
    const std::string_view text = cell("Device");
    const size_t open = text.rfind(" (");
    if (open == std::string_view::npos || !text.ends_with(')')) return 0;
    const auto id = integer_of(text.substr(open + 2, text.size() - open - 3));
    const auto device = clamped<uint16_t>(id.value_or(0));
    if (device >= known_.size()) known_.resize(device + size_t{1});
    if (!known_[device]) {
      known_[device] = true;
      Device& added = trace_.devices.emplace_back();
      added.id = device;
      added.name = text.substr(0, open);
    }
    return device;
  }

  // "[CUDA memcpy HtoD]", "[CUDA memset]", or a kernel's name.
  void fill_kind(std::string_view name, Op& op) {
    Detail detail;
    if (name.starts_with("[CUDA memcpy") || name.starts_with("[Unified Memory Memcpy")) {
      op.kind = Kind::memcpy;
      detail.bytes = bytes("Size");
      detail.copy_kind = copy_kind_of(name);
      detail.source = memory_kind_of(cell("SrcMemType"));
      detail.destination = memory_kind_of(cell("DstMemType"));
      name = copy_name(detail.copy_kind);
    } else if (name.starts_with("[CUDA memset")) {
      op.kind = Kind::memset;
      detail.bytes = bytes("Size");
      detail.destination = memory_kind_of(cell("SrcMemType"));
      name = "Memset";
    } else {
      op.kind = Kind::kernel;
      detail.grid_x = clamped<uint32_t>(number("Grid X"));
      detail.grid_y = clamped<uint16_t>(number("Grid Y"));
      detail.grid_z = clamped<uint16_t>(number("Grid Z"));
      detail.block_x = clamped<uint16_t>(number("Block X"));
      detail.block_y = clamped<uint16_t>(number("Block Y"));
      detail.block_z = clamped<uint16_t>(number("Block Z"));
      detail.registers = clamped<uint16_t>(number("Registers Per Thread"));
      detail.shared_bytes =
          clamped<uint32_t>(static_cast<int64_t>(bytes("Static SMem") + bytes("Dynamic SMem")));
    }
    op.name = trace_.names.intern(name);
    op.detail = details_.intern(detail);
  }

  Trace& trace_;
  DistinctDetails details_;
  ThreadTable threads_;
  std::map<std::string, size_t, std::less<>> columns_;
  std::vector<std::string> units_, row_;
  std::vector<bool> known_;
  int start_places_ = 0, duration_places_ = 0;
};

class NvprofCsvImporter final : public Importer {
 public:
  std::string_view format() const override { return "nvprof CSV"; }
  bool recognises(std::string_view head) const override {
    return head.starts_with(kHeader) ||
           (head.starts_with("==") &&
            head.find(std::string("\n").append(kHeader)) != std::string_view::npos);
  }

  absl::StatusOr<Trace> load(const std::string& path, const LoadOptions& options) const override {
    auto source = open_source(path);
    if (!source.ok()) return source.status();
    Trace trace;
    NvprofTable table(trace);
    Lines lines(**source);
    for (int64_t number = 1;; ++number) {
      auto line = lines.next();
      if (!line.ok())
        return damaged_input(path, ": line ", number, ": ", std::string(line.status().message()));
      if (!*line) break;
      if ((*line)->empty() || (*line)->starts_with("==")) continue;
      if ((*line)->starts_with(kHeader)) {
        table.set_columns(**line);
      } else if (table.wants_units()) {
        if (!table.set_units(**line))
          return bad_input(path, ": line ", number, ": expected units of time: s, ms, us or ns");
      } else {
        table.add_row(**line);
      }
      if (options.progress && number % 4096 == 0) options.progress((*source)->progress());
    }
    if (trace.ops.empty()) {
      return bad_input(path, ": no GPU op: expected the output of nvprof --csv --print-gpu-trace");
    }
    trace.process.source = "nvprof";
    trace.finish();
    return trace;
  }
};

}  // namespace

std::unique_ptr<Importer> make_nvprof_csv_importer() {
  return std::make_unique<NvprofCsvImporter>();
}

}  // namespace deepprof
