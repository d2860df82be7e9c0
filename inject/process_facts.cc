#include "inject/process_facts.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "inject/output.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

std::string command_line() {
  std::string text(4096, '\0');
  const int file = ::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
  const ssize_t bytes = file < 0 ? 0 : ::read(file, text.data(), text.size());
  if (file >= 0) ::close(file);
  text.resize(bytes > 0 ? static_cast<size_t>(bytes) : 0);
  while (!text.empty() && text.back() == '\0') text.pop_back();
  for (char& c : text) {
    if (c == '\0') c = ' ';
  }
  return text;
}

}  // namespace

void publish_process_facts(const Options& options, const Rank& rank, DefinitionLog& log) {
  const auto fact = [&log](std::string key, std::string value) {
    log.publish(FactDefinition{std::move(key), std::move(value)});
  };
  fact("source", "deepprof " DEEPPROF_VERSION);
  fact("host", host_name());
  fact("pid", format_text("%d", static_cast<int>(::getpid())));
  fact("command_line", command_line());
  if (rank.rank >= 0) fact("rank", format_text("%d", rank.rank));
  if (rank.world_size > 0) fact("world_size", format_text("%d", rank.world_size));
  if (options.batch > 0) fact("batch", format_text("%.0f", options.batch));
  for (const auto& [name, value] : options.tags) fact("tag." + name, value);
}

}  // namespace deepprof
