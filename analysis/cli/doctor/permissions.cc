#include "analysis/cli/doctor/permissions.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

#include "libdeepprof/proc_text.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

// Of the kernel's part of the driver: NVreg_RestrictProfilingToAdminUsers.
bool counters_are_for_administrators(const std::string& root) {
  std::ifstream file(root + "/proc/driver/nvidia/params");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return numbers_of(line_of(text, "RmProfilingAdminOnly:")) == std::vector<int64_t>{1};
}

}  // namespace

Symptom check_permissions(const std::string& root) {
  bool any = false;
  for (const char* name : {"/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia0"}) {
    const std::string path = root + name;
    if (::access(path.c_str(), F_OK) != 0) continue;
    any = true;
    if (::access(path.c_str(), R_OK | W_OK) == 0) continue;
    return {"permissions", Health::broken,
            format_text("%s cannot be opened: %s", path.c_str(), std::strerror(errno)),
            "Join the group that owns it (often video or render), or start the container with the "
            "GPU"};
  }
  // WSL and Tegra have none of these.
  if (!any) return {"permissions", Health::unknown, "no device files of the driver in /dev", ""};
  return {"permissions", Health::good,
          counters_are_for_administrators(root)
              ? "device files can be opened; performance counters are for administrators alone, "
                "which nothing here needs"
              : "device files can be opened",
          ""};
}

}  // namespace deepprof
