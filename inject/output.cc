#include "inject/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>

#include "libdeepprof/descriptor.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

constexpr std::string_view kTraceEnding = ".dprof";
constexpr int kMostNumbers = 1000;

bool exists(const std::string& path) {
  struct stat info;
  return ::lstat(path.c_str(), &info) == 0;
}

// Every folder on the way to the last component. Failures show when the file is created.
void make_folders(const std::string& file) {
  for (size_t slash = file.find('/', 1); slash != std::string::npos;
       slash = file.find('/', slash + 1)) {
    ::mkdir(file.substr(0, slash).c_str(), 0777);
  }
}

std::string fill_pattern(const std::string& pattern, const Rank& rank) {
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (pattern[i] != '%' || (next != 'h' && next != 'p' && next != 'r')) {
      out += pattern[i];
      continue;
    }
    if (next == 'h') out += host_name();
    if (next == 'p') append_text(out, "%d", static_cast<int>(::getpid()));
    if (next == 'r') append_text(out, "%d", rank.rank < 0 ? 0 : rank.rank);
    ++i;
  }
  return out;
}

std::string numbered(const std::string& stem, int number) {
  return number == 0 ? stem : format_text("%s.%d", stem.c_str(), number);
}

const char* report_ending(Format format) {
  switch (format) {
    case Format::text: return "txt";
    case Format::json: return "json";
    case Format::csv: return "csv";
    case Format::markdown: return "md";
  }
  return "txt";
}

Status write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return Error{std::strerror(written == 0 ? ENOSPC : errno)};
    text.remove_prefix(static_cast<size_t>(written));
  }
  return Done{};
}

// /dev/stdout, /dev/null, a FIFO: nothing to replace and nothing to number.
bool is_device(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

// O_NONBLOCK: a FIFO that nobody reads must not hold the job.
Result<std::string> write_into(const std::string& path, std::string_view text) {
  const int file = above_standard(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
  if (file < 0) return Error{path + ": " + std::strerror(errno)};
  const Status written = write_all(file, text);
  ::close(file);
  if (!written) return Error{path + ": " + written.error()};
  return path;
}

}  // namespace

std::string absolute_path(const std::string& path) {
  if (!path.empty() && path.front() == '/') return path;
  char here[PATH_MAX];
  if (::getcwd(here, sizeof here) == nullptr) return path;
  return std::string(here) + "/" + path;
}

std::string host_name() {
  char name[HOST_NAME_MAX + 1] = "";
  if (::gethostname(name, sizeof name) != 0 || name[0] == '\0') return "localhost";
  name[sizeof name - 1] = '\0';
  const std::string host = name;
  return host.substr(0, host.find('.'));  // the short name, as people know it
}

std::string output_stem(const Options& options, const Rank& rank) {
  if (options.output.find('%') != std::string::npos) {
    std::string stem = absolute_path(fill_pattern(options.output, rank));
    const bool has_ending =
        stem.size() > kTraceEnding.size() &&
        stem.compare(stem.size() - kTraceEnding.size(), std::string::npos, kTraceEnding) == 0;
    return has_ending ? stem.substr(0, stem.size() - kTraceEnding.size()) : stem;
  }
  std::string stem = options.output.empty() ? std::string() : options.output + "/";
  append_text(stem, "deepprof.%s.%d", host_name().c_str(), static_cast<int>(::getpid()));
  if (rank.rank >= 0) append_text(stem, ".rank%d", rank.rank);
  return absolute_path(stem);
}

Result<Output> create_output(const Options& options, const Rank& rank) {
  const std::string stem = output_stem(options, rank);
  make_folders(stem);
  for (int number = 0;; ++number) {
    Output output;
    output.trace_path = numbered(stem, number) + std::string(kTraceEnding);
    output.report_path =
        options.report_path.empty()
            ? numbered(stem, number) + ".report." + report_ending(options.report_format)
            : absolute_path(fill_pattern(options.report_path, rank));
    if (!options.metrics_path.empty())
      output.metrics_path = absolute_path(fill_pattern(options.metrics_path, rank));
    if (number < kMostNumbers && exists(output.trace_path)) continue;
    TraceWriterOptions writer_options;
    writer_options.path = output.trace_path;
    writer_options.max_file_bytes = options.max_file_bytes;
    Result<std::unique_ptr<TraceWriter>> writer = TraceWriter::create(writer_options);
    if (writer) {
      output.writer = std::move(writer).value();
      return output;
    }
    // Somebody else took the name between the look and the creation: try the next one.
    if (number >= kMostNumbers || !exists(output.trace_path)) return Error{writer.error()};
  }
}

namespace {

// A file under a name of its own beside `path`, so that whoever reads there sees a whole file or
// none. The number of our process may be taken by a process of another container that shares the
// folder. What failed is told of `path`: the other name means nothing to anybody.
Result<std::string> write_temporary(const std::string& path, std::string_view text) {
  std::string temporary;
  int file = -1;
  for (int number = 0; file < 0 && number < kMostNumbers; ++number) {
    temporary =
        numbered(format_text("%s.tmp%d", path.c_str(), static_cast<int>(::getpid())), number);
    const int made =
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    file = above_standard(made);
    if (file >= 0 || (made < 0 && errno == EEXIST)) continue;
    const int error = errno;
    if (made >= 0) ::unlink(temporary.c_str());
    return Error{path + ": " + std::strerror(error)};
  }
  if (file < 0) return Error{path + ": " + std::strerror(EEXIST)};
  Status written = write_all(file, text);
  if (::close(file) != 0 && written) written = Error{std::strerror(errno)};
  if (written) return temporary;
  ::unlink(temporary.c_str());
  return Error{path + ": " + written.error()};
}

// link() fails where the name is taken, rename() would replace it.
Result<std::string> give_free_name(const std::string& temporary, const std::string& path) {
  std::string final_path = path;
  for (int number = 1; ::link(temporary.c_str(), final_path.c_str()) != 0; ++number) {
    if (errno == EEXIST && number < kMostNumbers) {
      final_path = numbered(path, number);
      continue;
    }
    const bool no_hard_links = errno == EPERM || errno == ENOTSUP || errno == ENOSYS;
    if (no_hard_links && ::rename(temporary.c_str(), final_path.c_str()) == 0) return final_path;
    return Error{final_path + ": " + std::strerror(errno)};
  }
  return final_path;
}

}  // namespace

Result<std::string> write_whole_file(const std::string& path, std::string_view text) {
  if (is_device(path)) return write_into(path, text);
  const Result<std::string> temporary = write_temporary(path, text);
  if (!temporary) return temporary;
  Result<std::string> named = give_free_name(temporary.value(), path);
  ::unlink(temporary.value().c_str());
  return named;
}

Status replace_whole_file(const std::string& path, std::string_view text) {
  const Result<std::string> written =
      is_device(path) ? write_into(path, text) : write_temporary(path, text);
  if (!written) return Error{written.error()};
  if (written.value() == path || ::rename(written.value().c_str(), path.c_str()) == 0)
    return Done{};
  const int error = errno;
  ::unlink(written.value().c_str());
  return Error{path + ": " + std::strerror(error)};
}

}  // namespace deepprof
