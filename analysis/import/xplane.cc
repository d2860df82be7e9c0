// XPlane protobuf, `*.xplane.pb`: what the profilers of JAX and of TensorFlow 2 write. A plane is a
// device or a host, a line is a stream or a thread. Rows that are derived from others (XLA Ops,
// Steps) are left out.
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "analysis/import/clamped.h"
#include "analysis/import/decimal.h"
#include "analysis/import/distinct_details.h"
#include "analysis/import/file_content.h"
#include "analysis/import/importer.h"
#include "analysis/import/memory_names.h"
#include "analysis/import/message.h"
#include "analysis/import/thread_table.h"
#include "analysis/import/xplane_messages.h"

namespace deepprof {
namespace {

constexpr std::string_view kGpu = "/device:GPU:", kHost = "/host:", kStream = "Stream #";
constexpr int64_t kPsPerNs = 1000;

// "regs:32 grid:8,1,1 block:256,1,1": the text behind "grid:", up to the next blank.
std::string_view value_of(std::string_view details, std::string_view key) {
  size_t at = 0;
  while ((at = details.find(key, at)) != std::string_view::npos) {
    const bool whole = at == 0 || details[at - 1] == ' ';
    at += key.size();
    if (whole && at < details.size() && details[at] == ':')
      return details.substr(at + 1, details.find(' ', at) - at - 1);
  }
  return {};
}
int64_t number_of(std::string_view details, std::string_view key) {
  return integer_of(value_of(details, key)).value_or(0);
}

// "8,4,1", each brought into the range of its field.
template <typename First>
void read_extent(std::string_view text, First& x, uint16_t& y, uint16_t& z) {
  int64_t parts[3] = {};
  for (int64_t& part : parts) {
    const size_t comma = std::min(text.find(','), text.size());
    part = integer_of(text.substr(0, comma)).value_or(0);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  x = clamped<First>(parts[0]);
  y = clamped<uint16_t>(parts[1]);
  z = clamped<uint16_t>(parts[2]);
}

Detail kernel_detail(std::string_view details) {
  Detail detail;
  read_extent(value_of(details, "grid"), detail.grid_x, detail.grid_y, detail.grid_z);
  read_extent(value_of(details, "block"), detail.block_x, detail.block_y, detail.block_z);
  detail.registers = clamped<uint16_t>(number_of(details, "regs"));
  detail.shared_bytes =
      clamped<uint32_t>(int64_t{clamped<uint32_t>(number_of(details, "static_shared"))} +
                        clamped<uint32_t>(number_of(details, "dynamic_shared")));
  return detail;
}
Detail copy_detail(std::string_view name, std::string_view details) {
  Detail detail;
  detail.bytes = clamped<uint64_t>(number_of(details, "size"));
  detail.copy_kind = copy_kind_of(name);
  detail.source = memory_kind_of(value_of(details, "kind_src"));
  detail.destination = memory_kind_of(value_of(details, "kind_dst"));
  return detail;
}
Detail fill_detail(std::string_view details) {
  Detail detail;
  detail.bytes = clamped<uint64_t>(number_of(details, "size"));
  detail.destination = memory_kind_of(value_of(details, "kind"));
  return detail;
}

// A plane with its numbers resolved.
class PlaneReader {
 public:
  PlaneReader(const xplane::Plane& plane, NameTable& names) : plane_(plane) {
    for (const xplane::Named& entry : plane.event_names)
      event_names_[entry.id] = names.intern(entry.name);
    for (const xplane::Named& entry : plane.stat_names) stat_names_[entry.id] = entry.name;
  }
  const xplane::Plane& plane() const { return plane_; }
  NameId event_name(int64_t id) const {
    const auto found = event_names_.find(id);
    return found != event_names_.end() ? found->second : 0;
  }
  std::string_view stat_name(int64_t id) const {
    const auto found = stat_names_.find(id);
    return found != stat_names_.end() ? found->second : std::string_view();
  }
  std::string_view text(const xplane::Stat& stat) const {
    return stat.reference != 0 ? stat_name(stat.reference) : stat.text;
  }

 private:
  const xplane::Plane& plane_;
  std::unordered_map<int64_t, NameId> event_names_;
  std::unordered_map<int64_t, std::string_view> stat_names_;
};

// What an event's stats say, as far as it is kept.
struct EventStats {
  uint32_t correlation = 0, graph_node = 0;
  std::string_view kernel, copy, fill;  // the details, as text
  std::optional<int64_t> step;          // number of a step that the user or the framework marked
  // What a call was made for: the framework's operator, and the HLO instruction compiled from it.
  std::string_view framework_op, hlo_op;

  EventStats(const PlaneReader& plane, const xplane::Event& event) {
    for (const xplane::Stat& stat : event.stats) {
      const std::string_view name = plane.stat_name(stat.metadata);
      if (name == "correlation_id") correlation = static_cast<uint32_t>(stat.integer);
      else if (name == "cuda_graph_node_id") graph_node = static_cast<uint32_t>(stat.integer);
      else if (name == "kernel_details") kernel = plane.text(stat);
      else if (name == "memcpy_details") copy = plane.text(stat);
      else if (name == "memset_details") fill = plane.text(stat);
      else if (name == "step_num") step = stat.integer;
      else if (name == "name") framework_op = plane.text(stat);
      else if (name == "hlo_op") hlo_op = plane.text(stat);
    }
  }
};

class XSpaceReader {
 public:
  XSpaceReader() : details_(trace_), threads_(trace_) {}

  Trace read(std::string_view content, const LoadOptions& options) {
    protozero::pbf_reader space(content.data(), content.size());
    while (space.next()) {
      switch (space.tag_and_type()) {
        case xplane::bytes(1): read_plane(xplane::Plane(space.get_message())); break;
        case xplane::bytes(4):
          trace_.process.host = std::string(xplane::text_of(space.get_view()));
          break;
        default: space.skip();
      }
      part_at_ = content.size() - space.length();
      if (options.progress)
        options.progress(1 -
                         static_cast<double>(space.length()) / static_cast<double>(content.size()));
    }
    threads_.apply_names();
    trace_.process.source = "XPlane";
    trace_.finish();
    return std::move(trace_);
  }

  // Where the part of the file that is being read begins.
  size_t part_at() const { return part_at_; }

 private:
  void read_plane(const xplane::Plane& plane) {
    const PlaneReader reader(plane, trace_.names);
    if (plane.name.starts_with(kGpu)) {
      read_device(reader);
    } else if (plane.name.starts_with(kHost)) {
      for (const auto& line : plane.lines) read_thread(reader, xplane::Line(line));
    } else if (plane.name == "Task Environment") {
      for (const xplane::Stat& stat : plane.stats) {
        if (reader.stat_name(stat.metadata) == "profile_start_time")
          trace_.clock_base_ns = stat.integer;
      }
    }
  }

  void read_device(const PlaneReader& reader) {
    const auto number = integer_of(reader.plane().name.substr(kGpu.size()));
    if (!number || *number < 0 || *number > UINT16_MAX) return;
    const size_t ops_before = trace_.ops.size();
    for (const auto& message : reader.plane().lines) {
      const xplane::Line line(message);
      if (line.name.starts_with(kStream)) read_stream(reader, line, static_cast<uint16_t>(*number));
    }
    if (trace_.ops.size() > ops_before) describe_device(reader, static_cast<uint32_t>(*number));
  }
  void describe_device(const PlaneReader& reader, uint32_t number) {
    Device device;
    device.id = number;
    for (const xplane::Stat& stat : reader.plane().stats) {
      const std::string_view name = reader.stat_name(stat.metadata);
      if (name == "core_count") device.sm_count = clamped<uint32_t>(stat.integer);
      else if (name == "memory_size") device.memory_bytes = clamped<uint64_t>(stat.integer);
      else if (name == "compute_cap_major") device.compute_major = clamped<uint32_t>(stat.integer);
      else if (name == "compute_cap_minor") device.compute_minor = clamped<uint32_t>(stat.integer);
    }
    trace_.devices.push_back(std::move(device));
  }

  // "Stream #13(MemcpyH2D,Compute)".
  void read_stream(const PlaneReader& reader, const xplane::Line& line, uint16_t device) {
    std::string_view digits = line.name.substr(kStream.size());
    digits = digits.substr(0, digits.find_first_not_of("0123456789"));
    const auto stream = integer_of(digits).value_or(line.id);
    for (const auto& message : line.events) {
      event_.read(message);
      const auto start_ns = start_of(line);
      if (!start_ns) continue;
      const EventStats stats(reader, event_);
      Op op;
      op.start_ns = *start_ns;
      op.duration_ns = event_.duration_ps / kPsPerNs;
      op.name = reader.event_name(event_.metadata);
      op.device = device;
      op.stream = static_cast<uint32_t>(stream);
      op.correlation = stats.correlation;
      op.graph_node = stats.graph_node;
      const std::string_view name = trace_.names[op.name];
      const bool kernel = !stats.kernel.empty();
      op.kind = !kernel && name.starts_with("Memcpy")   ? Kind::memcpy
                : !kernel && name.starts_with("Memset") ? Kind::memset
                                                        : Kind::kernel;
      op.detail = details_.intern(op.kind == Kind::memcpy   ? copy_detail(name, stats.copy)
                                  : op.kind == Kind::memset ? fill_detail(stats.fill)
                                                            : kernel_detail(stats.kernel));
      trace_.ops.push_back(op);
    }
  }

  // When the event at hand began; nothing for sums of many, and for times that no field can hold.
  std::optional<int64_t> start_of(const xplane::Line& line) {
    if (event_.aggregated) return std::nullopt;
    int64_t start_ns;
    if (__builtin_add_overflow(line.timestamp_ns, event_.offset_ps / kPsPerNs, &start_ns)) {
      ++trace_.losses[Loss::import_skipped];
      return std::nullopt;
    }
    return start_ns;
  }

  // A call into the driver carries the correlation id of what it started; everything else is a
  // range. XLA launches from threads of its own, outside its operators' ranges, and tells at the
  // call what it launches for: a range as long as the call. Fusions may have no operator's name.
  void read_thread(const PlaneReader& reader, const xplane::Line& line) {
    if (line.events.empty()) return;
    const std::string id = std::to_string(line.id);
    const uint32_t thread = threads_.index("", id);
    threads_.set_name("", id, std::string(line.name));
    for (const auto& message : line.events) {
      event_.read(message);
      const auto start_ns = start_of(line);
      if (!start_ns) continue;
      const EventStats stats(reader, event_);
      const int64_t duration_ns = std::max<int64_t>(0, event_.duration_ps / kPsPerNs);
      NameId name = reader.event_name(event_.metadata);
      const std::string_view text = trace_.names[name];
      if (stats.step) name = trace_.names.intern(concat(text, " ", *stats.step));
      if (stats.correlation != 0 && (text.starts_with("cu") || text.starts_with("hip"))) {
        HostCall call;
        call.start_ns = *start_ns;
        call.duration_ns = duration_ns;
        call.correlation = stats.correlation;
        call.name = name;
        call.thread = thread;
        trace_.calls.push_back(call);
        const std::string_view op = !stats.framework_op.empty() ? stats.framework_op : stats.hlo_op;
        if (!op.empty())
          trace_.ranges.push_back(
              {*start_ns, duration_ns, trace_.names.intern(op), thread, RangeSource::framework_op});
      } else {
        trace_.ranges.push_back({*start_ns, duration_ns, name, thread,
                                 text.starts_with('$') ? RangeSource::python
                                 : stats.step          ? RangeSource::step
                                                       : RangeSource::framework_op});
      }
    }
  }

  Trace trace_;
  DistinctDetails details_;
  ThreadTable threads_;
  xplane::Event event_;
  size_t part_at_ = 0;
};

class XPlaneImporter final : public Importer {
 public:
  std::string_view format() const override { return "XPlane protobuf"; }

  // A length-delimited first field that begins like a plane: perhaps a number, then a printable
  // name.
  bool recognises(std::string_view head) const override {
    try {
      protozero::pbf_reader space(head.data(), head.size());
      if (!head.starts_with('\x0a')) return false;
      const size_t length_bytes = static_cast<size_t>(
          std::find_if(head.begin() + 1, head.end(), [](char byte) { return (byte & 0x80) == 0; }) -
          head.begin());
      protozero::pbf_reader plane(head.data() + length_bytes + 1,
                                  head.size() - std::min(head.size(), length_bytes + 1));
      while (plane.next()) {
        if (plane.tag_and_type() == xplane::bytes(2))
          return is_plane_name(xplane::text_of(plane.get_view()));
        if (plane.tag_and_type() != xplane::varint(1)) return false;
        plane.skip();
      }
    } catch (const protozero::exception&) {}
    return false;
  }

  absl::StatusOr<Trace> load(const std::string& path, const LoadOptions& options) const override {
    auto content = FileContent::read(path);
    if (!content.ok()) return content.status();
    XSpaceReader reader;
    try {
      Trace trace = reader.read(content->view(), options);
      if (trace.ops.empty() && trace.calls.empty()) {
        return bad_input(path, ": no op on a stream of a ", kGpu,
                         "N plane: expected a profile of JAX or TensorFlow on a GPU");
      }
      return trace;
    } catch (const protozero::exception& error) {
      return damaged_input(path, ": in what begins at byte ", reader.part_at(), " of ",
                           content->view().size(), ": ", error.what(),
                           ": expected the planes of an XSpace message; damaged or cut short");
    }
  }

 private:
  static bool is_plane_name(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(),
                                        [](char letter) { return letter >= ' ' && letter <= '~'; });
  }
};

}  // namespace

std::unique_ptr<Importer> make_xplane_importer() { return std::make_unique<XPlaneImporter>(); }

}  // namespace deepprof
