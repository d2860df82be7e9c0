#include "analysis/import/own_output.h"

#include <algorithm>

namespace deepprof {
namespace {

bool is_own_sqlite(std::string_view head) {
  // PRAGMA application_id (export/sqlite_exporter.cc) lies here in SQLite's header.
  constexpr size_t kApplicationIdAt = 68;
  return head.starts_with("SQLite format 3") &&
         head.substr(std::min(head.size(), kApplicationIdAt)).starts_with("DPRF");
}

// Its first packet interns the names, and nothing else does.
bool is_own_perfetto(std::string_view head) {
  constexpr char kPacket = '\x0a', kInternedData = '\x62';
  if (!head.starts_with(kPacket)) return false;
  const auto length_end =
      std::find_if(head.begin() + 1, head.end(), [](char byte) { return (byte & '\x80') == 0; });
  return length_end != head.end() && length_end + 1 != head.end() && length_end[1] == kInternedData;
}

}  // namespace

std::string_view writer_of_own_output(std::string_view head) {
  constexpr struct {
    std::string_view begins, writer;
  } kText[] = {
      {"{\"displayTimeUnit\":\"ns\",\"otherData\":{\"exported_by\":\"deepprof\"}",
       "deepprof export --to chrome"},
      {"start_ns,duration_ns,device,stream,kind,correlation,", "deepprof export --to csv"},
      {"{\"row\":\"", "deepprof export --to jsonl"},
      {"DPREC", "deepprof export --to recording"},
      {"{\"table\":\"", "deepprof --format json"},
      {"[{\"table\":\"", "deepprof --format json"},
      {"deepprof ", "deepprof report"},
  };
  for (const auto& each : kText) {
    if (head.starts_with(each.begins)) return each.writer;
  }
  if (is_own_sqlite(head)) return "deepprof export --to sqlite";
  if (is_own_perfetto(head)) return "deepprof export --to perfetto";
  return {};
}

}  // namespace deepprof
