#include "libdeepprof/sample/step_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "libdeepprof/descriptor.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

// As Python packs it; all on this machine, so in its byte order.
struct Step {
  int64_t began_ns = 0, ended_ns = 0;  // monotonic
  int64_t optimizer = 0;               // numbered as they first step
};
static_assert(sizeof(Step) == 24);

class StepSource final : public SampleSource {
 public:
  explicit StepSource(const std::string& path) : path_(path) {}

  int64_t sample(SampleSink& sink) override {
    if (!std::exchange(created_, true)) create(sink);
    // What lies there now may be somebody else's: a FIFO must not block us.
    const int file =
        above_standard(::open(path_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (file < 0) return kEveryTick;
    struct stat status {};
    if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid())
      read(file, sink);
    ::close(file);
    return kEveryTick;
  }

 private:
  void create(SampleSink& sink) {
    ::unlink(path_.c_str());
    const int file = above_standard(
        ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file < 0)
      return sink.unavailable(Metric::optimizer_step, kHostDevice, "cannot create " + path_);
    ::close(file);
    sink.fact("step_hook", "1");
  }

  void read(int file, SampleSink& sink) {
    std::array<Step, 256> steps;
    while (true) {
      const ssize_t bytes = ::pread(file, steps.data(), sizeof steps, offset_);
      const size_t whole = bytes > 0 ? static_cast<size_t>(bytes) / sizeof(Step) : 0;
      for (size_t i = 0; i < whole; ++i) {
        const Step& step = steps[i];
        if (step.ended_ns < step.began_ns || step.optimizer < 0 || step.optimizer >= kHostDevice)
          continue;
        sink.put(Metric::optimizer_step, static_cast<uint32_t>(step.optimizer), step.ended_ns,
                 static_cast<double>(step.ended_ns - step.began_ns));
      }
      offset_ += static_cast<off_t>(whole * sizeof(Step));
      if (whole < steps.size()) return;
    }
  }

  const std::string path_;
  bool created_ = false;
  off_t offset_ = 0;
};

}  // namespace

std::string own_steps_path() {
  const char* folder = std::getenv("TMPDIR");
  return format_text("%s/deepprof-steps.%u.%d", folder != nullptr && *folder != 0 ? folder : "/tmp",
                     static_cast<unsigned>(::geteuid()), static_cast<int>(::getpid()));
}

std::unique_ptr<SampleSource> make_step_source(const std::string& path) {
  return std::make_unique<StepSource>(path);
}

}  // namespace deepprof
