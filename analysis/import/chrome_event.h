// One event of a Chrome trace as it stands in the file: raw text of the fields that any importer of
// this family needs. The views point into the window that the event was parsed from.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include <simdjson.h>

namespace deepprof {

// A JSON scalar as written: "12.5", "-1", or what stands between the quotes of a string.
struct RawScalar {
  std::string_view text;
  bool is_string = false;

  bool empty() const { return text.empty() && !is_string; }
  std::string decoded() const;  // escapes undone
};

struct ChromeEvent {
  char phase = 0;  // 'X', 'M', ...; 0: none given
  RawScalar category, name, pid, tid;
  std::string_view ts, dur;  // microseconds

  // Members of "args" that say something about a GPU op, a call, a wait or an allocation.
  RawScalar arg_name, kind, sync_kind;
  // Of collectives: elements that a rank gives and gets, their type, ranks that take part.
  std::string_view in_elements, out_elements, element_type, group_size;
  std::string_view device, context, stream, correlation, bytes, registers, shared_bytes, graph_node;
  std::array<std::string_view, 3> grid, block;
  // Of a step of a framework's allocator; `bytes` and `device` are its, too.
  std::string_view address, device_type, in_use_bytes, held_bytes;
};

// What to read of an event, decided as soon as its phase and category are known.
enum class Reading { ignore, times, everything };

// Asked with what is known when a field begins that may be skipped; see read_chrome_event().
class EventSelector {
 public:
  virtual ~EventSelector() = default;
  virtual Reading reading(char phase, std::string_view category) const = 0;
};

// Fills `event` from one object. Stops early where the selector says that the rest does not matter,
// so that the long arguments of framework ops cost nothing. Fields may come in any order.
simdjson::error_code read_chrome_event(simdjson::ondemand::object object,
                                       const EventSelector& selector, ChromeEvent& event);

}  // namespace deepprof
