#include "analysis/cli/run_labels.h"

#include <algorithm>
#include <string_view>

namespace deepprof {
namespace {

std::string_view without_suffixes(std::string_view path) {
  for (const std::string_view suffix :
       {".gz", ".zst", ".json", ".dprof", ".sqlite", ".pt.trace", ".xplane.pb"}) {
    const bool is_whole_name =
        path.size() == suffix.size() ||
        (path.size() > suffix.size() && path[path.size() - suffix.size() - 1] == '/');
    if (path.ends_with(suffix) && !is_whole_name) path.remove_suffix(suffix.size());
  }
  return path;
}

// The last `folders` + 1 parts of a path.
std::string_view tail_of(std::string_view path, size_t folders) {
  size_t at = path.size();
  for (size_t part = 0; part <= folders && at != std::string_view::npos && at > 0; ++part)
    at = path.rfind('/', at - 1);
  return at == std::string_view::npos || at == 0 ? path : path.substr(at + 1);
}

// Of what tells runs apart, the folder and the file: what lies between is the same, or does not
// matter. Short paths stay whole.
std::string without_middle(const std::string& label) {
  constexpr size_t kLong = 32;
  const size_t first = label.find('/', 1), last = label.rfind('/');
  if (label.size() <= kLong || first == std::string::npos || first >= last) return label;
  return label.substr(0, first) + "/..." + label.substr(last);
}

bool is_elsewhere(const std::vector<std::string>& labels, size_t index) {
  return std::count(labels.begin(), labels.end(), labels[index]) > 1;
}

}  // namespace

std::vector<std::string> run_labels(const std::vector<std::string>& paths) {
  constexpr size_t kMostFolders = 40;
  std::vector<std::string> labels;
  for (const std::string& path : paths) labels.emplace_back(tail_of(without_suffixes(path), 0));
  for (size_t folders = 1; folders <= kMostFolders; ++folders) {
    const std::vector<std::string> before = labels;
    for (size_t i = 0; i < paths.size(); ++i) {
      if (is_elsewhere(before, i)) labels[i] = tail_of(without_suffixes(paths[i]), folders);
    }
    if (labels == before) break;
  }
  std::vector<std::string> shorter;
  for (const std::string& label : labels) shorter.push_back(without_middle(label));
  for (size_t i = 0; i < labels.size(); ++i) {
    if (!is_elsewhere(shorter, i)) labels[i] = shorter[i];
  }
  const std::vector<std::string> told = labels;
  for (size_t i = 0; i < paths.size(); ++i) {
    if (is_elsewhere(told, i)) labels[i] += " " + std::to_string(i + 1);
  }
  return labels;
}

}  // namespace deepprof
