#include "analysis/cli/trace_files.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "analysis/import/load.h"
#include "analysis/import/message.h"

namespace deepprof {
namespace {

absl::StatusOr<std::vector<std::string>> traces_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.is_regular_file(error) && is_trace(entry.path().string()))
      found.push_back(entry.path().string());
  }
  if (error) return bad_input("cannot read the folder ", folder, ": ", error.message());
  if (found.empty())
    return bad_input("the folder ", folder,
                     " holds no trace: expected .dprof or other trace files");
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> trace_files(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    auto inside = traces_in(path);
    if (!inside.ok()) return inside.status();
    files.insert(files.end(), inside->begin(), inside->end());
  }
  std::set<std::string> seen;
  for (const std::string& file : files) {
    if (!seen.insert(file).second)
      return bad_input(file, " is named twice: expected one file a rank");
  }
  return files;
}

}  // namespace deepprof
