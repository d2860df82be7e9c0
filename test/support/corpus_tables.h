// Reads the tables of DEEPPROF_CORPUS (recorded traces with ground truth, kept outside the project)
// for tests. Ops come as the trace model, each joined to a call of no length at the time of its
// launch.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/model/trace.h"

namespace deepprof::test::corpus {

inline std::string folder() {
  const char* path = std::getenv("DEEPPROF_CORPUS");
  return path == nullptr ? "" : path;
}

// The whole output of a shell command.
inline std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot run " + command);
  std::string text;
  char block[65536];
  for (size_t got; (got = std::fread(block, 1, sizeof block, pipe)) > 0;) text.append(block, got);
  pclose(pipe);
  return text;
}

// Rows of a CSV text with quotes, keyed by the header's names.
using CsvRow = std::map<std::string, std::string>;
inline std::vector<CsvRow> parse_csv(const std::string& text) {
  std::vector<std::string> header, cells;
  std::vector<CsvRow> rows;
  std::string cell;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"') cell += c;
      else if (i + 1 < text.size() && text[i + 1] == '"') cell += text[++i];
      else quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',' || c == '\n') {
      cells.push_back(cell);
      cell.clear();
      if (c == ',') continue;
      if (header.empty()) {
        header = cells;
      } else {
        CsvRow row;
        for (size_t column = 0; column < header.size() && column < cells.size(); ++column) {
          row[header[column]] = cells[column];
        }
        rows.push_back(std::move(row));
      }
      cells.clear();
    } else if (c != '\r') {
      cell += c;
    }
  }
  return rows;
}

inline std::vector<std::string> traces(const char* kind, const std::string& suffix) {
  std::vector<std::string> names;
  const std::string listing = output_of("ls '" + folder() + "/" + kind + "'");
  for (size_t at = 0; at < listing.size();) {
    const size_t end = listing.find('\n', at);
    const std::string file = listing.substr(at, end - at);
    if (file.size() > suffix.size() && file.substr(file.size() - suffix.size()) == suffix) {
      names.push_back(file.substr(0, file.size() - suffix.size()));
    }
    at = end + 1;
  }
  return names;
}

inline std::vector<CsvRow> table(const std::string& file) {
  const std::string path = folder() + "/" + file;
  return parse_csv(output_of(
      (path.size() > 3 && path.substr(path.size() - 3) == ".gz" ? "gzip -dc '" : "cat '") + path +
      "'"));
}

struct Truth {
  Trace trace;
  std::vector<std::string> step;  // by op of the finished trace: the marked iteration; empty: none
};

inline Truth read_truth(const std::string& name) {
  Truth truth;
  Trace& trace = truth.trace;
  trace.threads.push_back({});
  std::map<std::string, uint32_t> steps{{"", 0}};
  std::vector<std::string> step_names{""};
  std::map<uint32_t, bool> launched;
  for (const CsvRow& row : table("truth/" + name + ".csv.gz")) {
    Op op;
    op.start_ns = std::stoll(row.at("ts_ns"));
    op.duration_ns = std::stoll(row.at("dur_ns"));
    op.device = static_cast<uint16_t>(std::stoul(row.at("device")));
    op.stream = static_cast<uint32_t>(std::stoul(row.at("stream")));
    op.kind = row.at("kind") == "kernel"   ? Kind::kernel
              : row.at("kind") == "memcpy" ? Kind::memcpy
                                           : Kind::memset;
    op.name = trace.names.intern(row.at("name"));
    const auto [step, is_new] =
        steps.emplace(row.at("step"), static_cast<uint32_t>(step_names.size()));
    if (is_new) step_names.push_back(row.at("step"));
    op.context = step->second;  // carried through the sort of finish()
    if (!row.at("launch_ns").empty()) {
      op.correlation = static_cast<uint32_t>(std::stoull(row.at("corr")));
      if (!launched[op.correlation]) {
        launched[op.correlation] = true;
        trace.calls.push_back({std::stoll(row.at("launch_ns")), 0, op.correlation,
                               trace.names.intern("cudaLaunchKernel"), 0});
      }
    }
    trace.ops.push_back(op);
  }
  trace.finish();
  for (const Op& op : trace.ops) truth.step.push_back(step_names[op.context]);
  return truth;
}

}  // namespace deepprof::test::corpus
