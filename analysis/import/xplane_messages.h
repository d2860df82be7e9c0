// The messages of an XPlane file (tensorflow/tsl profiler, xplane.proto) as views into its bytes;
// only the fields that the importer keeps. Reading throws protozero::exception on bytes that are no
// such message.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <protozero/pbf_reader.hpp>

namespace deepprof::xplane {

// A field by number and wire type: a field of another type than the schema's is skipped like an
// unknown one.
constexpr uint32_t varint(uint32_t number) {
  return protozero::tag_and_type(number, protozero::pbf_wire_type::varint);
}
constexpr uint32_t bytes(uint32_t number) {
  return protozero::tag_and_type(number, protozero::pbf_wire_type::length_delimited);
}

inline std::string_view text_of(protozero::data_view view) { return {view.data(), view.size()}; }

// A value attached to a plane or an event, under the number of a StatMetadata of the plane.
struct Stat {
  int64_t metadata = 0;
  int64_t integer = 0;    // of int64 and uint64 values
  int64_t reference = 0;  // of ref values: the StatMetadata whose name is the text; 0: none
  std::string_view text;  // of string values

  explicit Stat(protozero::pbf_reader message) {
    while (message.next()) {
      switch (message.tag_and_type()) {
        case varint(1): metadata = message.get_int64(); break;
        case varint(3): integer = static_cast<int64_t>(message.get_uint64()); break;
        case varint(4): integer = message.get_int64(); break;
        case bytes(5): text = text_of(message.get_view()); break;
        case varint(7): reference = static_cast<int64_t>(message.get_uint64()); break;
        default: message.skip();
      }
    }
  }
};

struct Event {
  int64_t metadata = 0;  // the EventMetadata that names it
  int64_t offset_ps = 0;
  int64_t duration_ps = 0;
  bool aggregated = false;  // many occurrences summed up: no time of its own
  std::vector<Stat> stats;

  // Reads into the same object again and again, for the sake of the vector's memory.
  void read(protozero::pbf_reader message) {
    *this = Event{{}, {}, {}, {}, std::move(stats)};
    stats.clear();
    while (message.next()) {
      switch (message.tag_and_type()) {
        case varint(1): metadata = message.get_int64(); break;
        case varint(2): offset_ps = message.get_int64(); break;
        case varint(3): duration_ps = message.get_int64(); break;
        case bytes(4): stats.emplace_back(message.get_message()); break;
        case varint(5):
          aggregated = true;
          message.skip();
          break;
        default: message.skip();
      }
    }
  }
};

// One row of a plane: a stream, a host thread, or a row derived from others ("XLA Ops", "Steps").
struct Line {
  int64_t id = 0;
  std::string_view name;
  int64_t timestamp_ns = 0;  // its events' offsets count from here
  std::vector<protozero::pbf_reader> events;

  explicit Line(protozero::pbf_reader message) {
    std::string_view display_name;
    while (message.next()) {
      switch (message.tag_and_type()) {
        case varint(1): id = message.get_int64(); break;
        case bytes(2): name = text_of(message.get_view()); break;
        case varint(3): timestamp_ns = message.get_int64(); break;
        case bytes(4): events.push_back(message.get_message()); break;
        case bytes(11): display_name = text_of(message.get_view()); break;
        default: message.skip();
      }
    }
    if (name.empty()) name = display_name;
  }
};

// An entry of a plane's map from numbers to names: of events, or of stats.
struct Named {
  int64_t id = 0;
  std::string_view name;

  explicit Named(protozero::pbf_reader entry) {
    while (entry.next()) {
      switch (entry.tag_and_type()) {
        case varint(1): id = entry.get_int64(); break;
        case bytes(2): read_metadata(entry.get_message()); break;
        default: entry.skip();
      }
    }
  }

 private:
  void read_metadata(protozero::pbf_reader metadata) {
    while (metadata.next()) {
      if (metadata.tag_and_type() == bytes(2)) name = text_of(metadata.get_view());
      else metadata.skip();
    }
  }
};

struct Plane {
  std::string_view name;
  std::vector<protozero::pbf_reader> lines;
  std::vector<Named> event_names, stat_names;
  std::vector<Stat> stats;

  explicit Plane(protozero::pbf_reader message) {
    while (message.next()) {
      switch (message.tag_and_type()) {
        case bytes(2): name = text_of(message.get_view()); break;
        case bytes(3): lines.push_back(message.get_message()); break;
        case bytes(4): event_names.emplace_back(message.get_message()); break;
        case bytes(5): stat_names.emplace_back(message.get_message()); break;
        case bytes(6): stats.emplace_back(message.get_message()); break;
        default: message.skip();
      }
    }
  }
};

}  // namespace deepprof::xplane
