#include "analysis/import/own_output.h"

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/report/terms/terms.h"

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

using Words = std::vector<std::string_view>;

std::string_view line_of(std::string_view text, size_t number) {
  for (; number > 0; --number) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find_first_of("\r\n"));
}

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

Words split(std::string_view text, std::string_view separator) {
  Words words;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    if (const std::string_view word = trimmed(text.substr(at, end - at)); !word.empty())
      words.push_back(word);
    at = end + separator.size();
  }
  return words;
}

// Every column and heading that we print has a term (deepprof explain), but for the names of runs;
// those of others may have one by chance, but hardly all of them.
bool are_headings(const Words& words) {
  constexpr size_t kFewest = 3, kFewestBesideRuns = 5, kRuns = 2;
  const auto known = static_cast<size_t>(std::count_if(
      words.begin(), words.end(), [](auto word) { return find_exact_term(word) != nullptr; }));
  return known == words.size() ? known >= kFewest
                               : known >= kFewestBesideRuns && words.size() - known <= kRuns;
}

// Names of columns have no capital and no blank; a unit ends one of them at least.
bool is_own_csv(std::string_view head) {
  const std::string_view line = line_of(head, 0);
  constexpr std::string_view kName = "abcdefghijklmnopqrstuvwxyz0123456789_,";
  const bool has_unit = [&] {
    for (const std::string_view unit : {"_ns", "_bytes", "_ratio", "_mw", "_mj", "_per_s"}) {
      if ((std::string(line) + ",").find(std::string(unit) + ",") != std::string::npos) return true;
    }
    return false;
  }();
  return has_unit && line.find_first_not_of(kName) == std::string_view::npos &&
         are_headings(split(line, ","));
}

// Its title, if any, stands in bold two lines above.
bool is_own_markdown(std::string_view head) {
  const size_t at = head.starts_with("**") ? 2 : 0;
  const std::string_view rule = line_of(head, at + 1);
  return rule.starts_with("|") && rule.find_first_not_of("|-:") == std::string_view::npos &&
         are_headings(split(line_of(head, at), "|"));
}

// Columns stand two blanks apart at least; a title may stand above. `deepprof info` has two.
bool is_own_text(std::string_view head) {
  if (split(line_of(head, 0), "  ") == Words{"key", "value"})
    return line_of(head, 1).starts_with("file  ");
  return are_headings(split(line_of(head, 0), "  ")) || are_headings(split(line_of(head, 1), "  "));
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
      {"# TYPE deepprof_", "DEEPPROF_METRICS_FILE"},
      {"check,result,count,", "deepprof --format csv"},
      {"key,value\nfile,", "deepprof --format csv"},
      {"| key | value |\n", "deepprof --format markdown"},
  };
  for (const auto& each : kText) {
    if (head.starts_with(each.begins)) return each.writer;
  }
  if (is_own_sqlite(head)) return "deepprof export --to sqlite";
  if (is_own_perfetto(head)) return "deepprof export --to perfetto";
  if (is_own_csv(head)) return "deepprof --format csv";
  if (is_own_markdown(head)) return "deepprof --format markdown";
  if (is_own_text(head)) return "deepprof --format text";
  return {};
}

}  // namespace deepprof
