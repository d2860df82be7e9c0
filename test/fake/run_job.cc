#include "test/fake/run_job.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace deepprof::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct ScratchRoot {
  std::string path;
  ScratchRoot() {
    std::string pattern = (fs::temp_directory_path() / "deepprof-test-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~ScratchRoot() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> files_with(const std::string& folder, const std::string& ending) {
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.find(ending) != std::string::npos) found.push_back(entry.path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::shared_ptr<const fake::Account> read_account(const std::string& path) {
  auto account = std::make_shared<fake::Account>();
  FILE* file = fopen(path.c_str(), "rb");
  if (!file) return nullptr;
  const bool whole = fread(static_cast<void*>(account.get()), sizeof(fake::Account), 1, file) == 1;
  fclose(file);
  return whole ? account : nullptr;
}

// A library that is built with AddressSanitizer loads into a shell or Python only when its runtime is
// there. What a job's process holds to its end is no leak, unless a test says so.
void preload_sanitizer() {
#ifdef DEEPPROF_SANITIZER_RUNTIME
  const char* wanted = getenv("LD_PRELOAD");
  const std::string runtime = DEEPPROF_SANITIZER_RUNTIME;
  setenv("LD_PRELOAD", (wanted ? runtime + ":" + wanted : runtime).c_str(), 1);
  setenv("LSAN_OPTIONS", "detect_leaks=0", 0);
  // `deepprof run` puts our library before the runtime; a job that crashes dies of its signal.
  const char* before = getenv("ASAN_OPTIONS");
  setenv("ASAN_OPTIONS",
         (std::string(before ? before : "") + ":verify_asan_link_order=0:handle_segv=0").c_str(),
         1);
#endif
}

[[noreturn]] void become(const JobSpec& spec, const std::string& folder) {
  std::vector<std::string> words = spec.command;
  if (words.empty()) words = {fake_dir() + "/fake_host", spec.recording};
  words.insert(words.end(), spec.arguments.begin(), spec.arguments.end());
  const std::string cupti = spec.cupti.empty() ? "" : fake_cupti(spec.cupti);
  const auto redirect = [&](const char* name, int to) {
    const int fd = open((folder + name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || dup2(fd, to) < 0) _exit(126);
  };
  redirect("/stdout", 1);
  redirect("/stderr", 2);
  // What tests are told is none of the job's business.
  for (const char* own :
       {"DEEPPROF_BINARY_DIR", "DEEPPROF_SOURCE_DIR", "DEEPPROF_CORPUS", "DEEPPROF_GENUINE_CUPTI",
        "DEEPPROF_SOAK_SECONDS", "DEEPPROF_SOAK_SEED"}) {
    unsetenv(own);
  }
  // Beside its stderr: threads with descriptors of their own have none.
  for (const char* options : {"ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"}) {
    const char* before = getenv(options);
    setenv(
        options,
        ((before ? std::string(before) + ":" : "") + "log_path=" + folder + "/sanitizer").c_str(),
        1);
  }
  setenv("FAKE_CUPTI_ACCOUNT", (folder + "/account").c_str(), 1);
  setenv("DEEPPROF_OUTPUT", (folder + "/out").c_str(), 1);
  if (!spec.library.empty()) setenv("CUDA_INJECTION64_PATH", spec.library.c_str(), 1);
  if (!cupti.empty()) setenv("DEEPPROF_CUPTI", cupti.c_str(), 1);
  for (const auto& [name, value] : spec.environment) setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  preload_sanitizer();
  execvp(arguments[0], arguments.data());
  _exit(127);
}

// The account while the job runs: the file that the stand-in CUPTI maps, mapped once more.
class LiveAccount {
 public:
  explicit LiveAccount(std::string path) : path_(std::move(path)) {}
  ~LiveAccount() {
    if (account_) munmap(const_cast<fake::Account*>(account_), sizeof(fake::Account));
  }

  uint64_t delivered() {
    if (!account_) account_ = map();
    uint64_t sum = 0;
    for (uint32_t kind = 0; account_ && kind < fake::kActivityKinds; ++kind)
      sum += account_->delivered[kind];
    return sum;
  }

 private:
  const fake::Account* map() const {
    struct stat status;
    const int fd = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return nullptr;
    void* memory = MAP_FAILED;
    if (fstat(fd, &status) == 0 && static_cast<size_t>(status.st_size) == sizeof(fake::Account)) {
      memory = mmap(nullptr, sizeof(fake::Account), PROT_READ, MAP_SHARED, fd, 0);
    }
    close(fd);
    return memory == MAP_FAILED ? nullptr : static_cast<const fake::Account*>(memory);
  }

  std::string path_;
  const fake::Account* account_ = nullptr;
};

// Waits for the child; kills it when it has done enough, or our patience is over.
void watch(pid_t child, const JobSpec& spec, LiveAccount account, JobOutcome& outcome) {
  const auto began = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - began).count(); };
  bool killed = false;
  int status = 0;
  rusage usage{};
  while (wait4(child, &status, WNOHANG, &usage) == 0) {
    if (spec.kill_after_records > 0 && !killed && account.delivered() >= spec.kill_after_records) {
      kill(child, SIGKILL);
      killed = true;
    }
    if (elapsed() > spec.give_up_after_s) {
      outcome.hung = true;
      kill(child, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  outcome.seconds = elapsed();
  outcome.peak_rss_kib = usage.ru_maxrss;
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
}

}  // namespace

std::string fake_dir() { return std::string(getenv("DEEPPROF_BINARY_DIR")) + "/test/fake"; }

std::string fake_cupti(const std::string& version) {
  const char* soname = version == "11.8"   ? "libcupti.so.11.8"
                       : version[1] == '2' ? "libcupti.so.12"
                                           : "libcupti.so.13";
  return fake_dir() + "/cupti-" + version + "/" + soname;
}

std::string bare_client() { return fake_dir() + "/libbare_client.so"; }

std::string injected_library() {
  return std::string(getenv("DEEPPROF_BINARY_DIR")) + "/lib/libdeepprof_inject.so";
}

std::string scratch_folder() {
  static const ScratchRoot root;
  static int number = 0;
  const std::string path = root.path + "/" + std::to_string(++number);
  fs::create_directory(path);
  return path;
}

JobOutcome run_job(const JobSpec& spec) {
  const std::string folder = scratch_folder();
  JobOutcome outcome;
  outcome.folder = folder + "/out";
  fs::create_directory(outcome.folder);
  const pid_t child = fork();
  if (child == 0) become(spec, folder);
  watch(child, spec, LiveAccount(folder + "/account"), outcome);
  outcome.output = slurp(folder + "/stdout");
  outcome.errors = slurp(folder + "/stderr");
  for (const std::string& report : files_with(folder, "sanitizer."))
    outcome.errors += slurp(report);
  outcome.traces = files_with(outcome.folder, ".dprof");
  outcome.reports = files_with(outcome.folder, ".report.txt");
  outcome.account = read_account(folder + "/account");
  return outcome;
}

}  // namespace deepprof::test
