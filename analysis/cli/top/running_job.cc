#include "analysis/cli/top/running_job.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>

#include "analysis/import/decimal.h"
#include "analysis/import/message.h"
#include "libdeepprof/proc_text.h"

namespace deepprof {
namespace {

namespace fs = std::filesystem;

// As far as the folder can be read: a process may end meanwhile.
template <typename Visit>
void for_each_entry(const std::string& folder, const Visit& visit) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    visit(entry->path());
}

// A file stream throws where the process ends while it is read.
std::string beginning_of(const fs::path& path) {
  char buffer[512];
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t size = file < 0 ? -1 : ::read(file, buffer, sizeof buffer);
  if (file >= 0) ::close(file);
  return std::string(buffer, size > 0 ? static_cast<size_t>(size) : 0);
}

int parent_of(const fs::path& process) {
  const std::vector<int64_t> numbers = numbers_behind_state(beginning_of(process / "stat"));
  return numbers.empty() ? 0 : static_cast<int>(numbers[0]);
}

std::multimap<int, int> children_by_parent(const std::string& proc) {
  std::multimap<int, int> children;
  for_each_entry(proc, [&](const fs::path& entry) {
    const auto pid = integer_of(entry.filename().string());
    if (pid) children.emplace(parent_of(entry), static_cast<int>(*pid));
  });
  return children;
}

constexpr std::string_view kRemoved = " (deleted)";  // the kernel's word behind a name

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

void add_open_traces(int pid, const std::string& proc, std::vector<RunningTrace>& traces) {
  std::set<std::string> found;
  const auto look_into = [&](const fs::path& task) {
    for_each_entry(task / "fd", [&](const fs::path& entry) {
      std::error_code error;
      std::string target = fs::read_symlink(entry, error).string();
      if (error) return;
      const bool removed = ends_with(target, kRemoved);
      if (removed) target.resize(target.size() - kRemoved.size());
      if (!ends_with(target, ".dprof") || !found.insert(target).second) return;
      traces.push_back({pid, removed ? entry.string() : target, removed ? target : ""});
    });
  };
  const fs::path process = concat(proc, "/", pid);
  look_into(process);
  // The library's writing thread has descriptors of its own where the kernel allows
  // (capture/own_descriptors.h).
  for_each_entry(process / "task", [&](const fs::path& thread) {
    if (beginning_of(thread / "comm") == "dp-drain\n") look_into(thread);
  });
}

}  // namespace

absl::StatusOr<std::vector<RunningTrace>> traces_of_process(int pid, const std::string& proc) {
  std::error_code error;
  const std::string own = concat(proc, "/", pid);
  if (!fs::exists(own, error)) return bad_input("there is no process ", pid);
  const auto children = children_by_parent(proc);
  std::vector<int> family{pid};
  for (size_t i = 0; i < family.size(); ++i) {  // grows while it is walked
    const auto [first, last] = children.equal_range(family[i]);
    for (auto child = first; child != last; ++child) family.push_back(child->second);
  }
  std::vector<RunningTrace> traces;
  for (const int member : family) add_open_traces(member, proc, traces);
  if (traces.empty()) {
    fs::directory_iterator readable(own + "/fd", error);
    if (error)
      return bad_input("the open files of process ", pid, " may not be read (", error.message(),
                       "): run as its user, or name its .dprof file");
    return bad_input("process ", pid, " and its ", family.size() - 1,
                     " descendants write no .dprof file: start the job with `deepprof run -- CMD`, "
                     "and wait until it uses the GPU");
  }
  std::sort(traces.begin(), traces.end(),
            [](const auto& a, const auto& b) { return a.pid < b.pid; });
  return traces;
}

}  // namespace deepprof
