#include "inject/neighbours.h"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "libdeepprof/text.h"

namespace deepprof {
namespace {

struct Mark {
  std::string_view prefix;
  const char* tool;
};

// Variables that the launchers of the tools set in the processes they profile.
constexpr Mark kVariables[] = {
    {"NSYS_PROFILING_SESSION_ID=", "Nsight Systems"},
    {"QUADD_INJECTION_PROXY=", "Nsight Systems"},
    {"NV_NSIGHT_INJECTION_TRANSPORT_TYPE=", "Nsight Compute"},
    {"NV_NSIGHT_INJECTION_PORT_BASE=", "Nsight Compute"},
    {"NV_COMPUTE_PROFILER_PERFWORKS_DIR=", "Nsight Compute"},
    {"NV_SANITIZER_INJECTION_", "compute-sanitizer"},
};

// Libraries that they map into them.
constexpr Mark kLibraries[] = {
    {"libToolsInjection", "Nsight Systems"},
    {"libToolsInjectionProxy", "Nsight Systems"},
    {"libcuda-injection", "Nsight Compute"},
    {"libTreeLauncherTargetInjection", "Nsight Compute"},
    {"libsanitizer-collection", "compute-sanitizer"},
    {"libcudadebugger", "cuda-gdb"},
};

template <size_t N>
const char* match(const Mark (&marks)[N], std::string_view text) {
  for (const Mark& mark : marks) {
    if (text.substr(0, mark.prefix.size()) == mark.prefix) return mark.tool;
  }
  return nullptr;
}

const char* tool_in_environment(const char* const* environment) {
  for (; *environment != nullptr; ++environment) {
    if (const char* tool = match(kVariables, *environment)) return tool;
  }
  return nullptr;
}

const char* tool_among_libraries() {
  const char* found = nullptr;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        const std::string_view path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
        const size_t slash = path.rfind('/');
        const char* tool =
            match(kLibraries, slash == std::string_view::npos ? path : path.substr(slash + 1));
        if (tool == nullptr) return 0;
        *static_cast<const char**>(data) = tool;
        return 1;
      },
      &found);
  return found;
}

std::string read_small_file(const char* path) {
  char text[4096];
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t bytes = ::read(file, text, sizeof text);
  ::close(file);
  return bytes > 0 ? std::string(text, static_cast<size_t>(bytes)) : std::string();
}

// Any debugger but cuda-gdb may stay: gdb and strace do not touch the driver.
const char* debugger_of_cuda() {
  const std::string status = read_small_file("/proc/self/status");
  const size_t at = status.find("TracerPid:");
  const int tracer = at == std::string::npos ? 0 : std::atoi(status.c_str() + at + 10);
  if (tracer == 0) return nullptr;
  const std::string name = read_small_file(format_text("/proc/%d/comm", tracer).c_str());
  return name.substr(0, 8) == "cuda-gdb" ? "cuda-gdb" : nullptr;
}

}  // namespace

std::string other_tool(const char* const* environment) {
  const char* tool = tool_in_environment(environment);
  if (tool == nullptr) tool = tool_among_libraries();
  if (tool == nullptr) tool = debugger_of_cuda();
  return tool == nullptr ? "" : tool;
}

}  // namespace deepprof
