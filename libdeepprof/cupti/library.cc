#include "libdeepprof/cupti/library.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <string_view>

#include "libdeepprof/text.h"

namespace deepprof::cupti {
namespace {

struct Soname {
  const char* name;
  int major;
};
// Newest first: an older CUPTI on a newer driver works, the reverse does not.
constexpr Soname kSonames[] = {
    {"libcupti.so.13", 13}, {"libcupti.so.12", 12}, {"libcupti.so.11.8", 11}};

std::string_view base_name(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string folder_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "." : std::string(path.substr(0, slash));
}

// Paths of the mapped objects whose file name starts with `prefix`.
std::vector<std::string> mapped_objects(std::string_view prefix) {
  struct Search {
    std::string_view prefix;
    std::vector<std::string> found;
  } search{prefix, {}};
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        const std::string_view path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
        if (base_name(path).substr(0, wanted.prefix.size()) == wanted.prefix)
          wanted.found.emplace_back(path);
        return 0;
      },
      &search);
  return search.found;
}

// A library of a file: libNAME.so..., or as wheels rename what they bundle, libNAME-1a2b3c4d.so...
std::vector<std::string> mapped_libraries(const std::string& name) {
  std::vector<std::string> found = mapped_objects(name + ".so");
  for (std::string& renamed : mapped_objects(name + "-")) found.push_back(std::move(renamed));
  return found;
}

class Places {
 public:
  explicit Places(int newest_major) : newest_major_(newest_major) {}

  void add(const std::string& path, const std::string& reason) { found_.push_back({path, reason}); }
  // Every libcupti that the driver can serve, in the folder; "": wherever the dynamic linker looks.
  void add_folder(const std::string& folder, const std::string& reason) {
    for (const Soname& soname : kSonames) {
      if (soname.major <= newest_major_)
        add(folder.empty() ? soname.name : folder + "/" + soname.name, reason);
    }
  }
  std::vector<Candidate> take() { return std::move(found_); }

 private:
  const int newest_major_;
  std::vector<Candidate> found_;
};

// CUDA's runtime is installed as a tree: the wheels keep CUPTI beside it or one folder over, the
// toolkit under extras.
void add_neighbours_of_cudart(Places& places) {
  constexpr const char* kFolders[] = {".", "../../cuda_cupti/lib", "../../cu13/lib",
                                      "../extras/CUPTI/lib64", "../../../extras/CUPTI/lib64"};
  for (const std::string& cudart : mapped_libraries("libcudart")) {
    for (const char* folder : kFolders)
      places.add_folder(folder_of(cudart) + "/" + folder, "beside " + cudart);
  }
}

// NVIDIA's wheels lie side by side below one folder, those of CUDA 13 in one of their own:
// whichever the job has mapped leads to CUPTI's, in jobs that bring a runtime of their own too.
void add_neighbouring_wheels(Places& places) {
  const std::vector<std::string> mapped = mapped_objects("");
  const auto add_below = [&](std::string_view folder, const char* to) {
    std::string last;
    for (const std::string& path : mapped) {
      const size_t at = path.rfind(folder);  // a user may be called nvidia, too
      if (at == std::string::npos || path.compare(0, at + folder.size(), last) == 0) continue;
      last = path.substr(0, at + folder.size());
      places.add_folder(last + to, "beside " + path);
    }
  };
  add_below("/nvidia/cu13/", "lib");
  add_below("/nvidia/", "cuda_cupti/lib");
  add_below("/nvidia/", "cu13/lib");
}

void add_installations(Places& places) {
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"}) {
    const char* root = std::getenv(variable);
    if (root == nullptr || *root != '/') continue;
    for (const char* folder : {"/extras/CUPTI/lib64", "/lib64", "/lib"}) {
      places.add_folder(std::string(root) + folder, std::string("in ") + variable);
    }
  }
  for (const char* root :
       {"/usr/local/cuda", "/usr/local/cuda-13", "/usr/local/cuda-12", "/usr/local/cuda-11"}) {
    for (const char* folder : {"/extras/CUPTI/lib64", "/lib64"}) {
      places.add_folder(std::string(root) + folder, "in the CUDA toolkit");
    }
  }
}

template <typename Function>
void bind(void* library, const char* name, Function& slot) {
  slot = reinterpret_cast<Function>(::dlsym(library, name));
}

Api bind_all(void* library) {
  Api api;
  bind(library, "cuptiGetVersion", api.get_version);
  bind(library, "cuptiGetTimestamp", api.get_timestamp);
  bind(library, "cuptiActivityRegisterCallbacks", api.register_callbacks);
  bind(library, "cuptiActivityEnable", api.enable);
  bind(library, "cuptiActivityFlushAll", api.flush_all);
  bind(library, "cuptiActivityGetNextRecord", api.get_next_record);
  bind(library, "cuptiActivityGetNumDroppedRecords", api.get_dropped);
  bind(library, "cuptiActivityRegisterTimestampCallback", api.register_timestamp_callback);
  bind(library, "cuptiActivityGetAttribute", api.get_attribute);
  bind(library, "cuptiActivitySetAttribute", api.set_attribute);
  bind(library, "cuptiActivityEnableRuntimeApi", api.enable_runtime_api);
  bind(library, "cuptiActivityEnableDriverApi", api.enable_driver_api);
  bind(library, "cuptiGetCallbackName", api.get_callback_name);
  bind(library, "cuptiSubscribe_v2", api.subscribe_v2);
  bind(library, "cuptiActivityRegisterCallbacks_v2", api.register_callbacks_v2);
  bind(library, "cuptiActivityEnable_v2", api.enable_v2);
  bind(library, "cuptiActivityGetNextRecord_v2", api.get_next_record_v2);
  bind(library, "cuptiActivityGetNumDroppedRecords_v2", api.get_dropped_v2);
  bind(library, "cuptiActivitySetAttribute_v2", api.set_attribute_v2);
  bind(library, "cuptiActivityEnableRuntimeApi_v2", api.enable_runtime_api_v2);
  bind(library, "cuptiActivityEnableDriverApi_v2", api.enable_driver_api_v2);
  bind(library, "cuptiGetTimestamp_v2", api.get_timestamp_v2);
  return api;
}

bool complete(const Api& api) {
  return api.get_version && api.register_callbacks && api.enable && api.flush_all &&
         api.get_next_record;
}

std::string path_of_symbol(void* symbol, const std::string& otherwise) {
  Dl_info info{};
  return ::dladdr(symbol, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : otherwise;
}

std::string last_dl_error() {
  const char* error = ::dlerror();
  return error == nullptr ? "unknown error" : error;
}

}  // namespace

std::vector<std::string> mapped_libcuptis() { return mapped_libraries("libcupti"); }

bool is_mapped(std::string_view prefix) { return !mapped_objects(prefix).empty(); }

int driver_version() {
  void* driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (driver == nullptr) return 0;
  auto* get_version = reinterpret_cast<int (*)(int*)>(::dlsym(driver, "cuDriverGetVersion"));
  int version = 0;
  return get_version != nullptr && get_version(&version) == 0 ? version : 0;
}

std::vector<Candidate> libcupti_candidates(const std::string& chosen, int driver_version) {
  if (!chosen.empty()) return {{chosen, "DEEPPROF_CUPTI"}};
  Places places(driver_version > 0 ? driver_version / 1000 : INT_MAX);
  for (const std::string& path : mapped_libcuptis()) places.add(path, "already mapped by the job");
  add_neighbours_of_cudart(places);
  add_neighbouring_wheels(places);
  places.add_folder("", "found by the dynamic linker");
  add_installations(places);
  return places.take();
}

Result<Library> load_library(const std::string& chosen) {
  Library library;
  library.driver_version = driver_version();
  std::string first_error;
  for (const Candidate& candidate : libcupti_candidates(chosen, library.driver_version)) {
    void* handle = ::dlopen(candidate.path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const std::string error = last_dl_error();
      if (first_error.empty()) first_error = error;
      continue;
    }
    library.api = bind_all(handle);
    if (!complete(library.api)) {
      if (first_error.empty()) first_error = candidate.path + " lacks CUPTI's activity calls";
      continue;
    }
    library.path = path_of_symbol(reinterpret_cast<void*>(library.api.get_version), candidate.path);
    library.reason = candidate.reason;
    library.api.get_version(&library.version);
    return library;
  }
  return Error{chosen.empty() ? "no libcupti found (set DEEPPROF_CUPTI to its path)"
                              : "cannot load " + chosen + " (DEEPPROF_CUPTI): " + first_error};
}

}  // namespace deepprof::cupti
