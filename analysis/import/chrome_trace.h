// Reads a Chrome trace (Kineto, TensorFlow's timeline) from front to back and hands its events to
// an importer, one at a time, in memory that does not grow with the file.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "analysis/import/chrome_event.h"
#include "analysis/import/load.h"

namespace deepprof {

class ChromeTraceHandler : public EventSelector {
 public:
  // The views die with the call.
  virtual void event(const ChromeEvent& event) = 0;
  // A member of the top object beside the events, as JSON text; "" where it is too large to hold
  // facts.
  virtual void member(std::string_view key, std::string_view value) = 0;
};

absl::Status read_chrome_trace(const std::string& path, const LoadOptions& options,
                               ChromeTraceHandler& handler);

// Whether a file's first bytes may be JSON.
bool looks_like_json(std::string_view head);

}  // namespace deepprof
