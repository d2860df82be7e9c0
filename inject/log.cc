#include "inject/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>

namespace deepprof {
namespace {

// Never freed: our threads may log until the process is gone. Not in spdlog's registry, which is an object
// with static lifetime.
std::atomic<spdlog::logger*> logger{nullptr};

}  // namespace

bool open_log(const std::string& path) noexcept {
  try {
    spdlog::sink_ptr sink;
    if (path == "stderr") {
      sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    } else {
      sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
    }
    auto* made = new spdlog::logger("deepprof", std::move(sink));
    made->set_pattern("%Y-%m-%d %H:%M:%S.%f %P.%t %v");
    made->flush_on(spdlog::level::info);
    logger.store(made, std::memory_order_release);
    return true;
  } catch (...) {
    return false;
  }
}

void log_line(std::string_view sentence) noexcept {
  spdlog::logger* open = logger.load(std::memory_order_acquire);
  if (open == nullptr) return;
  try {
    open->info("{}", sentence);
  } catch (...) {
    // A log that cannot be written is no reason to disturb the job.
  }
}

}  // namespace deepprof
