#include "analysis/import/load.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "analysis/import/byte_stream.h"
#include "analysis/import/chrome_trace.h"
#include "analysis/import/contexts_apart.h"
#include "analysis/import/far_times.h"
#include "analysis/import/importer.h"
#include "analysis/import/message.h"
#include "analysis/import/other_formats.h"
#include "analysis/import/own_output.h"
#include "analysis/import/settle_clocks.h"
#include "analysis/model/overruns.h"

namespace deepprof {
namespace {

absl::StatusOr<std::string> read_head(const std::string& path) {
  auto source = open_source(path);
  if (!source.ok()) return source.status();
  std::string head(kSniffedBytes, '\0');
  auto got = (*source)->read(head.data(), head.size());
  if (!got.ok()) return got.status();
  head.resize(*got);
  return head;
}

absl::Status not_recognised(const std::string& path, std::string_view head) {
  if (const std::string_view words = what_to_give_instead(head); !words.empty())
    return bad_input(path, " ", words);
  std::string known;
  for (const auto& importer : importers())
    known += concat(known.empty() ? "" : ", ", importer->format());
  return bad_input(path, " begins with \"", absl::CHexEscape(std::string(head.substr(0, 16))),
                   "\" at byte 0: expected one of ", known);
}

// Whether an event's phase is told, which is a text: "ph" is a word of vocabularies, too, whose
// values are numbers.
bool names_phase(std::string_view text) {
  constexpr std::string_view kKey = "\"ph\"", kBlanks = " \t\r\n";
  constexpr size_t kNowhere = std::string_view::npos;
  for (size_t at = text.find(kKey); at != kNowhere; at = text.find(kKey, at + 1)) {
    const size_t colon = text.find_first_not_of(kBlanks, at + kKey.size());
    if (colon == kNowhere || text[colon] != ':') continue;
    const size_t value = text.find_first_not_of(kBlanks, colon + 1);
    if (value != kNowhere && text[value] == '"') return true;
  }
  return false;
}

// Whether JSON names an event: a job's settings and its tokenizer lie beside its traces. These name
// one behind their metadata, which in large jobs are many.
bool names_event(const std::string& path) {
  constexpr size_t kMostSearched = 64 << 20, kLongestWord = 16;
  auto source = open_source(path);
  if (!source.ok()) return false;
  std::string text;
  for (size_t searched = 0; searched < kMostSearched;) {
    const size_t kept = std::min(text.size(), kLongestWord);
    text.erase(0, text.size() - kept);
    text.resize(kept + kSniffedBytes);
    auto got = (*source)->read(text.data() + kept, kSniffedBytes);
    if (!got.ok() || *got == 0) return false;
    text.resize(kept + *got);
    searched += *got;
    if (text.find("\"traceEvents\"") != std::string::npos || names_phase(text)) return true;
  }
  return true;  // whoever reads it will say
}

// What our own recorder does while it records.
void mend_foreign(Trace& trace) {
  tell_contexts_apart(trace);
  uint64_t& bad = trace.losses[Loss::bad_timestamp];
  bad += drop_far_times(trace);
  bad += drop_overruns(trace);
}

}  // namespace

bool is_trace(const std::string& path) {
  const auto head = read_head(path);
  return head.ok() && writer_of_own_output(*head).empty() &&
         std::any_of(importers().begin(), importers().end(),
                     [&](const auto& importer) { return importer->recognises(*head); }) &&
         (!looks_like_json(*head) || names_event(path));
}

absl::StatusOr<Trace> load_trace(const std::string& path, const LoadOptions& options) {
  auto head = read_head(path);
  if (!head.ok()) return head.status();
  if (const std::string_view writer = writer_of_own_output(*head); !writer.empty()) {
    return bad_input(path, " is what `", writer,
                     "` writes, which is not read back: give the trace that it was made from (a "
                     ".dprof file, or the profiler's own)");
  }
  for (const auto& importer : importers()) {
    if (!importer->recognises(*head)) continue;
    auto trace = importer->load(path, options);
    if (trace.ok()) {
      if (!trace->process.source.starts_with("deepprof ")) mend_foreign(*trace);
      settle_clocks(*trace);
    } else if (const std::string_view words = what_to_give_instead_of_timeline(*head);
               !words.empty() && looks_like_json(*head)) {
      return bad_input(path, " ", words);
    }
    return trace;
  }
  return not_recognised(path, *head);
}

}  // namespace deepprof
