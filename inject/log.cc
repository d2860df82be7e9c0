#include "inject/log.h"

#include <fcntl.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <atomic>
#include <mutex>

#include "inject/notice.h"
#include "inject/output.h"
#include "inject/write_signals_off.h"
#include "libdeepprof/capture/clock.h"
#include "libdeepprof/descriptor.h"

namespace deepprof {
namespace {

constexpr int64_t kStderrPatience_ns = 200'000'000;

// Stderr by our own way of writing there: spdlog's would raise SIGPIPE in a job whose reader has
// gone.
class StderrSink final : public spdlog::sinks::base_sink<std::mutex> {
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    write_stderr({line.data(), line.size()}, monotonic_ns() + kStderrPatience_ns);
  }
  void flush_() override {}
};

// Opened for each of the few lines there are: a descriptor that were kept might take the number of
// a closed standard stream, or be closed by the job and stand for a file of the job's when the next
// line comes.
class FileSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit FileSink(std::string path) : path_(std::move(path)) {}

  // O_NONBLOCK: a FIFO that nobody reads must not hold the job.
  int open() const {
    return above_standard(
        ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0600));
  }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    const WriteSignalsOff guard;
    const int file = open();
    if (file < 0) return;
    // One write a line, so that the lines of several processes do not mix.
    [[maybe_unused]] const ssize_t written = ::write(file, line.data(), line.size());
    ::close(file);
  }
  void flush_() override {}

  const std::string path_;
};

// Never freed: our threads may log until the process is gone. Not in spdlog's registry, which is an
// object with static lifetime.
std::atomic<spdlog::logger*> logger{nullptr};

spdlog::sink_ptr make_sink(const std::string& path) {
  if (path == "stderr") return std::make_shared<StderrSink>();
  auto sink = std::make_shared<FileSink>(absolute_path(path));
  const int file = sink->open();
  if (file < 0) return nullptr;
  ::close(file);
  return sink;
}

}  // namespace

bool open_log(const std::string& path) noexcept {
  try {
    spdlog::sink_ptr sink = make_sink(path);
    if (sink == nullptr) return false;
    auto* made = new spdlog::logger("deepprof", std::move(sink));
    made->set_pattern("%Y-%m-%d %H:%M:%S.%f %P.%t %v");
    logger.store(made, std::memory_order_release);
    return true;
  } catch (...) { return false; }
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
