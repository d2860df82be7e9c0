#include "analysis/cli/trace_files.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "analysis/export/unfinished_file.h"
#include "analysis/import/load.h"
#include "analysis/import/message.h"

namespace deepprof {
namespace {

absl::Status add_traces_in(const std::string& folder, TraceFiles& files) {
  std::vector<std::string> found, left_out;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (!entry.is_regular_file(error)) continue;
    const std::string path = entry.path().string();
    if (is_unfinished(path))
      left_out.push_back(path + " is left out: a command was killed that wrote it, or still does");
    else if (is_trace(path)) found.push_back(path);
    else if (entry.path().extension() == ".dprof")
      left_out.push_back(concat(
          path, " is left out: ", entry.file_size(error) == 0 ? "it is empty" : "it is no trace"));
  }
  if (error) return bad_input("cannot read the folder ", folder, ": ", error.message());
  if (found.empty())
    return bad_input("the folder ", folder,
                     " holds no trace: expected .dprof or other trace files");
  for (auto [from, to] :
       {std::pair{&found, &files.traces}, std::pair{&left_out, &files.left_out}}) {
    std::sort(from->begin(), from->end());
    to->insert(to->end(), from->begin(), from->end());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TraceFiles> trace_files(const std::vector<std::string>& paths) {
  TraceFiles files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) files.traces.push_back(path);
    else if (absl::Status added = add_traces_in(path, files); !added.ok()) return added;
  }
  std::set<std::string> seen;
  for (const std::string& file : files.traces) {
    if (!seen.insert(file).second)
      return bad_input(file, " is named twice: expected one file a rank");
  }
  return files;
}

}  // namespace deepprof
