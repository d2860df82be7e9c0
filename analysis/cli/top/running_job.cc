#include "analysis/cli/top/running_job.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>

#include "analysis/import/decimal.h"
#include "analysis/import/message.h"

namespace deepprof {
namespace {

namespace fs = std::filesystem;

// /proc/PID/stat: "PID (any name, even with parentheses) state parent ...".
int parent_of(const fs::path& process) {
  std::ifstream file(process / "stat");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 4 > text.size()) return 0;
  const size_t start = name_end + 4;  // ") S "
  return static_cast<int>(integer_of(std::string_view(text).substr(start, text.find(' ', start) - start)).value_or(0));
}

std::multimap<int, int> children_by_parent(const std::string& proc) {
  std::multimap<int, int> children;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(proc, error)) {
    const auto pid = integer_of(entry.path().filename().string());
    if (pid) children.emplace(parent_of(entry.path()), static_cast<int>(*pid));
  }
  return children;
}

void add_open_traces(int pid, const std::string& proc, std::vector<RunningTrace>& traces) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(concat(proc, "/", pid, "/fd"), error)) {
    const fs::path target = fs::read_symlink(entry.path(), error);
    if (!error && target.extension() == ".dprof") traces.push_back({pid, target.string()});
  }
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
    if (error) return bad_input("the open files of process ", pid, " may not be read (", error.message(), "): run as its user, or name its .dprof file");
    return bad_input("process ", pid, " and its ", family.size() - 1,
                     " descendants write no .dprof file: start the job with `deepprof run -- CMD`, and wait until it uses the GPU");
  }
  std::sort(traces.begin(), traces.end(), [](const auto& a, const auto& b) { return a.pid < b.pid; });
  return traces;
}

}  // namespace deepprof
