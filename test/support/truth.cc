#include "test/support/truth.h"

#include <dirent.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <stdexcept>

namespace deepprof::test {
namespace {

constexpr std::string_view kSuffix = ".csv.gz";

std::string read_gzip(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) throw std::runtime_error("cannot open " + path);
  std::string text;
  char buffer[1 << 16];
  for (int got = 0; (got = gzread(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<size_t>(got));
  gzclose(file);
  return text;
}

// The fields of one CSV line (quotes doubled inside quotes); moves `at` behind it.
std::vector<std::string> csv_line(const std::string& text, size_t& at) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      if (quoted && at + 1 < text.size() && text[at + 1] == '"') fields.back() += text[++at];
      else quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c == '\n' && !quoted) {
      ++at;
      break;
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

CopyKind copy_kind(const std::string& name) {
  if (name.find("HtoD") != std::string::npos) return CopyKind::host_to_device;
  if (name.find("DtoH") != std::string::npos) return CopyKind::device_to_host;
  if (name.find("DtoD") != std::string::npos) return CopyKind::device_to_device;
  return CopyKind::unknown;
}

}  // namespace

std::string corpus_folder() {
  const char* folder = std::getenv("DEEPPROF_CORPUS");
  return folder != nullptr ? folder : "";
}

std::vector<std::string> corpus_names() {
  std::vector<std::string> names;
  DIR* folder = opendir((corpus_folder() + "/truth").c_str());
  if (folder == nullptr) return names;
  while (const dirent* entry = readdir(folder)) {
    const std::string name = entry->d_name;
    if (name.size() > kSuffix.size() && name.ends_with(kSuffix))
      names.push_back(name.substr(0, name.size() - kSuffix.size()));
  }
  closedir(folder);
  std::sort(names.begin(), names.end());
  return names;
}

LabelledTrace read_corpus_truth(const std::string& name) {
  const std::string text = read_gzip(corpus_folder() + "/truth/" + name + std::string(kSuffix));
  LabelledTrace result;
  result.name = name;
  Trace& trace = result.trace;
  trace.threads.push_back({1, 1, ""});
  std::map<std::string, int> numbers;
  std::vector<int> step;  // in the file's order, which finish() keeps as far as times allow
  size_t at = 0;
  csv_line(text, at);  // header: ts_ns,device,stream,kind,name,dur_ns,step,launch_ns,corr
  while (at < text.size()) {
    const auto field = csv_line(text, at);
    if (field.size() < 9) continue;
    Op op;
    op.start_ns = std::stoll(field[0]);
    op.device = static_cast<uint16_t>(std::stoul(field[1]));
    op.stream = static_cast<uint32_t>(std::stoul(field[2]));
    op.kind = field[3] == "memcpy"   ? Kind::memcpy
              : field[3] == "memset" ? Kind::memset
                                     : Kind::kernel;
    op.name = trace.names.intern(field[4]);
    op.duration_ns = std::stoll(field[5]);
    op.correlation = field[8].empty() ? 0 : static_cast<uint32_t>(std::stoull(field[8]));
    if (op.kind == Kind::memcpy) {
      op.detail = static_cast<uint32_t>(trace.details.size());
      Detail detail;
      detail.copy_kind = copy_kind(field[4]);
      trace.details.push_back(detail);
    }
    if (!field[7].empty() && op.correlation != 0) {
      trace.calls.push_back(
          {std::stoll(field[7]), 1000, op.correlation, trace.names.intern("launch"), 0});
    }
    // graph_node carries the row's number through finish(), which sorts.
    op.graph_node = static_cast<uint32_t>(step.size()) + 1;
    step.push_back(field[6].empty() || field[6] == "-1"
                       ? -1
                       : numbers.try_emplace(field[6], numbers.size()).first->second);
    trace.ops.push_back(op);
  }
  trace.finish();
  for (Op& op : trace.ops) {
    result.step.push_back(step[op.graph_node - 1]);
    op.graph_node = 0;
  }
  return result;
}

}  // namespace deepprof::test
