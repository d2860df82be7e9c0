// The log of DEEPPROF_LOG: what the library found and did, for whoever asks why. Off unless asked
// for. Never called from a CUPTI callback.
#pragma once

#include <string>
#include <string_view>

namespace deepprof {

// `path`: a file to append to, or "stderr". False: it cannot be opened.
bool open_log(const std::string& path) noexcept;

void log_line(std::string_view sentence) noexcept;

}  // namespace deepprof
