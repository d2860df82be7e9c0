#include "analysis/cli/doctor/examine.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>

#include "analysis/cli/doctor/permissions.h"
#include "analysis/cli/doctor/subscriber.h"
#include "analysis/cli/injected_library.h"
#include "analysis/report/units.h"
#include "inject/neighbours.h"
#include "inject/options.h"
#include "inject/output.h"
#include "libdeepprof/cupti/activation.h"
#include "libdeepprof/cupti/devices.h"
#include "libdeepprof/cupti/library.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

constexpr const char* kInjectionVariable = "CUDA_INJECTION64_PATH";

// What the checks know of each other: they run in the order in which the library meets these
// things.
struct Machine {
  Options options;
  std::string injection;  // CUDA_INJECTION64_PATH as it was
  bool driver_ready = false;
  std::optional<cupti::Library> cupti;
  std::optional<cupti::Activation> activation;
};

template <typename Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(::dlsym(library, name));
}

Symptom check_library(Machine& machine) {
  const auto found = find_injected_library();
  if (!found) {
    return {"library", Health::broken,
            format_text("%s is not beside this program nor in its lib folder", kInjectedLibrary),
            "Unpack or install the whole package, or name the file: deepprof run --library PATH"};
  }
  if (!machine.injection.empty() && machine.injection.find(kInjectedLibrary) == std::string::npos) {
    return {"library", Health::limited, *found,
            format_text("%s names %s: `deepprof run` replaces it, a job started otherwise keeps it",
                        kInjectionVariable, machine.injection.c_str())};
  }
  const std::string unfit = unfit_for_preload(*found);
  if (!unfit.empty()) return {"library", Health::limited, *found, "run --preload, --cpu: " + unfit};
  return {"library", Health::good, *found, ""};
}

Symptom check_variables(Machine& machine) {
  if (machine.options.disabled) {
    return {"variables", Health::broken, "DEEPPROF_DISABLE is set",
            "Unset it: jobs are not captured"};
  }
  if (machine.options.complaints.empty())
    return {"variables", Health::good, "no DEEPPROF_ variable is misspelt", ""};
  std::string all;
  for (const std::string& complaint : machine.options.complaints)
    all += (all.empty() ? "" : "; ") + complaint;
  return {"variables", Health::limited, all, "Correct it: the default is used"};
}

Symptom check_tools(Machine&) {
  const std::string tool = other_tool(environ);
  if (tool.empty()) return {"other tools", Health::good, "none holds this process", ""};
  return {"other tools", Health::broken, tool + " holds this process",
          "Start the job outside of it: two such tools cannot trace one process"};
}

Symptom check_files(Machine&) { return check_permissions(""); }

Symptom check_driver(Machine& machine) {
  void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (driver == nullptr) {
    return {"driver", Health::broken, "libcuda.so.1 is not found: no NVIDIA driver here",
            "Install the driver, or start the container with the GPU (docker run --gpus all). A "
            "job without a GPU: "
            "deepprof run --cpu"};
  }
  const auto init = symbol<int (*)(unsigned)>(driver, "cuInit");
  const auto get_count = symbol<int (*)(int*)>(driver, "cuDeviceGetCount");
  const int code = init != nullptr ? init(0) : -1;
  const int version = cupti::driver_version();
  int devices = 0;
  if (code != 0 || (get_count != nullptr && get_count(&devices) != 0)) {
    return {"driver", Health::broken, format_text("cuInit answers with error %d", code),
            "See whether nvidia-smi works, and CUDA_VISIBLE_DEVICES"};
  }
  machine.driver_ready = true;
  std::string finding = format_text("CUDA %d.%d", version / 1000, version % 1000 / 10);
  for (int i = 0; i < devices; ++i) {
    const auto device = cupti::describe_device(static_cast<uint32_t>(i));
    if (!device) continue;
    append_text(finding, "; GPU %d %s (%u SMs, %s)", i, device->name.c_str(), device->sm_count,
                bytes_text(static_cast<double>(device->memory_bytes)).c_str());
  }
  if (devices == 0)
    return {"driver", Health::broken, finding + "; no GPU is visible", "See CUDA_VISIBLE_DEVICES"};
  return {"driver", Health::good, finding, ""};
}

// Of the places where libcupti is looked for, those where another one lies: "; also PATH (why)".
std::string other_candidates(const cupti::Library& chosen) {
  const auto same_file = [](const std::string& path) {
    std::error_code none;
    return std::filesystem::canonical(path, none).string();  // empty: there is no such file
  };
  std::set<std::string> told{"", same_file(chosen.path)};
  std::string text;
  for (const cupti::Candidate& candidate : cupti::libcupti_candidates("", chosen.driver_version)) {
    // A bare name is the dynamic linker's to find.
    const bool is_file = candidate.path.find('/') != std::string::npos;
    if (!is_file || !told.insert(same_file(candidate.path)).second) continue;
    append_text(text, "; also %s (%s)", candidate.path.c_str(), candidate.reason.c_str());
  }
  return text;
}

Symptom check_cupti(Machine& machine) {
  Result<cupti::Library> library = cupti::load_library(machine.options.cupti_path);
  if (!library) {
    return {"CUPTI", Health::broken, library.error(),
            "PyTorch, JAX and the CUDA toolkit bring one along: run this inside the job's "
            "environment, or set "
            "DEEPPROF_CUPTI to the file"};
  }
  machine.cupti = library.value();
  const cupti::Library& found = *machine.cupti;
  const std::string finding = format_text("%s (%s), API version %u", found.path.c_str(),
                                          found.reason.c_str(), found.version) +
                              other_candidates(found);
  const size_t copies = cupti::mapped_libcuptis().size();
  if (copies > 1) {
    return {"CUPTI", Health::limited, finding + format_text(", %zu copies in this process", copies),
            "Set DEEPPROF_CUPTI to the one that the job's framework uses"};
  }
  return {"CUPTI", Health::good, finding, "A job that has mapped its own copy uses that one"};
}

Symptom check_kinds(Machine& machine) {
  if (!machine.driver_ready || !machine.cupti)
    return {"records", Health::unknown, "needs the driver and CUPTI", ""};
  Result<cupti::Activation> activation = cupti::activate(*machine.cupti, machine.options.wanted);
  if (!activation) {
    return {"records", Health::broken, activation.error(),
            "Another profiler may hold CUPTI in this process, or the driver may be too old for it"};
  }
  machine.activation = std::move(activation).value();
  if (machine.activation->refused.empty()) {
    return {"records", Health::good, "all kinds agreed", machine.activation->note};
  }
  std::string refused;
  for (const std::string& kind : machine.activation->refused)
    refused += (refused.empty() ? "refused: " : ", ") + kind;
  return {"records", Health::limited, refused, "The report does without them and says so"};
}

Symptom check_holder(Machine& machine) {
  if (!machine.activation) return {"subscriber", Health::unknown, "needs CUPTI's records", ""};
  if (machine.activation->v2)
    return {"subscriber", Health::good, "ours; other tools may trace beside us", ""};
  return check_subscriber(*machine.cupti);
}

Symptom check_output(Machine& machine) {
  const std::string stem = output_stem(machine.options, read_rank(environ));
  if (stem.find('/') == std::string::npos) {
    return {"output", Health::broken, "the working folder is gone",
            "Set DEEPPROF_OUTPUT to a folder of yours"};
  }
  std::string folder = stem.substr(0, stem.rfind('/'));
  while (folder.size() > 1 && ::access(folder.c_str(), F_OK) != 0)
    folder.resize(std::max<size_t>(1, folder.rfind('/')));
  struct stat kind {};
  const bool is_folder = ::stat(folder.c_str(), &kind) == 0 && S_ISDIR(kind.st_mode);
  if (!is_folder || ::access(folder.c_str(), W_OK | X_OK) != 0) {
    const char* why = is_folder ? std::strerror(errno) : "it is no folder";
    return {"output", Health::broken, format_text("cannot write in %s: %s", folder.c_str(), why),
            "Set DEEPPROF_OUTPUT to a folder of yours"};
  }
  struct statvfs room {};
  const std::string finding = stem + ".dprof";
  if (::statvfs(folder.c_str(), &room) != 0) return {"output", Health::good, finding, ""};
  const double free_bytes = static_cast<double>(room.f_bavail) * static_cast<double>(room.f_frsize);
  const bool tight = machine.options.max_file_bytes != 0 &&
                     free_bytes < static_cast<double>(machine.options.max_file_bytes);
  return {
      "output", tight ? Health::limited : Health::good,
      finding + ", " + bytes_text(free_bytes) + " free",
      tight ? "Less than DEEPPROF_MAX_FILE: a full disk ends the recording, never the job" : ""};
}

Symptom check_nvml(Machine&) {
  void* library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (library == nullptr) {
    return {"NVML", Health::limited, "libnvidia-ml.so.1 is not found",
            "Power, temperature and memory stay n/a"};
  }
  const auto init = symbol<int (*)()>(library, "nvmlInit_v2");
  const int code = init != nullptr ? init() : -1;
  if (code != 0)
    return {"NVML", Health::limited, format_text("nvmlInit answers with error %d", code),
            "See whether nvidia-smi works"};
  return {"NVML", Health::good, "power, temperature, memory and clocks can be read", ""};
}

using Check = Symptom (*)(Machine&);
// In the order in which the library meets them.
constexpr Check kChecks[] = {check_library, check_variables, check_tools, check_files,
                             check_driver,  check_cupti,     check_kinds, check_holder,
                             check_output,  check_nvml};

}  // namespace

std::vector<Symptom> examine() {
  Machine machine;
  machine.options = read_options(environ);
  // The driver loads what this names, as it would in the job: here we only want to look.
  if (const char* injection = std::getenv(kInjectionVariable)) machine.injection = injection;
  ::unsetenv(kInjectionVariable);
  std::vector<Symptom> symptoms;
  for (const Check check : kChecks) symptoms.push_back(check(machine));
  return symptoms;
}

}  // namespace deepprof
