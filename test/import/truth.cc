#include "test/import/truth.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "analysis/import/byte_stream.h"
#include "test/support/catch.h"

namespace deepprof::test {
namespace {

absl::StatusOr<std::string> read_all(const std::string& path) {
  auto source = open_source(path);
  if (!source.ok()) return source.status();
  std::string text;
  for (;;) {
    const size_t size = text.size();
    text.resize(size + (size_t{1} << 20));
    auto got = (*source)->read(text.data() + size, text.size() - size);
    if (!got.ok()) return got.status();
    text.resize(size + *got);
    if (*got == 0) return text;
  }
}

// Splits a CSV text into rows of fields; quotes may hold commas, quotes and line breaks.
std::vector<std::vector<std::string>> csv_rows(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row(1);
  bool quoted = false;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      if (quoted && at + 1 < text.size() && text[at + 1] == '"') {
        row.back() += '"';
        ++at;
      } else {
        quoted = !quoted;
      }
    } else if (!quoted && c == ',') {
      row.emplace_back();
    } else if (!quoted && c == '\n') {
      rows.push_back(std::move(row));
      row.assign(1, "");
    } else if (quoted || c != '\r') {
      row.back() += c;
    }
  }
  return rows;
}

}  // namespace

absl::StatusOr<std::vector<TrueOp>> read_truth(const std::string& path) {
  auto text = read_all(path);
  if (!text.ok()) return text.status();
  const auto rows = csv_rows(*text);
  std::vector<TrueOp> ops;
  for (size_t i = 1; i < rows.size(); ++i) {
    const auto& row = rows[i];
    if (row.size() < 9) return absl::DataLossError(path + ": a row of fewer than nine fields");
    TrueOp op;
    op.start_ns = std::atoll(row[0].c_str());
    op.device = static_cast<uint32_t>(std::atoll(row[1].c_str()));
    op.stream = static_cast<uint32_t>(std::atoll(row[2].c_str()));
    op.kind = row[3];
    op.name = row[4];
    op.duration_ns = std::atoll(row[5].c_str());
    op.has_launch = !row[7].empty();
    op.launch_ns = std::atoll(row[7].c_str());
    op.correlation = static_cast<uint32_t>(std::atoll(row[8].c_str()));
    ops.push_back(std::move(op));
  }
  return ops;
}

std::string corpus_folder() {
  const char* folder = std::getenv("DEEPPROF_CORPUS");
  if (folder == nullptr || *folder == 0 ||
      !std::filesystem::exists(std::string(folder) + "/truth")) {
    WARN("DEEPPROF_CORPUS names no folder of recorded traces: they are not checked");
    return "";
  }
  return folder;
}

std::vector<std::string> corpus_names(const std::string& folder, const std::string& suffix) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/truth")) {
    const std::string file = entry.path().filename().string();
    const std::string name = file.substr(0, file.find('.'));
    if (std::filesystem::exists(folder + "/traces/" + name + suffix)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace deepprof::test
