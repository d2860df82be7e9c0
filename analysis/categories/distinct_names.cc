#include "analysis/categories/distinct_names.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "analysis/categories/readable_name.h"
#include "analysis/report/utf8.h"

namespace deepprof {
namespace {

constexpr size_t kMostWords = 3;     // that are shown to tell names apart
constexpr size_t kLeastName = 8;     // columns of a name beside its mark
constexpr size_t kLongestWord = 40;  // longer ones are words joined by underscores (cuDNN, cuBLAS)

bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '#';
}

// "sm80_xmma_wgrad": "sm80", "xmma", "wgrad".
void append_parts(std::string_view word, std::vector<std::string_view>& parts) {
  while (!word.empty()) {
    const size_t size = std::min(word.find('_'), word.size());
    if (size > 0) parts.push_back(word.substr(0, size));
    word.remove_prefix(std::min(size + 1, word.size()));
  }
}

std::vector<std::string_view> words_of(std::string_view name) {
  std::vector<std::string_view> words;
  for (size_t at = 0; at < name.size();) {
    size_t end = at;
    while (end < name.size() && in_word(name[end])) ++end;
    const std::string_view word = name.substr(at, end - at);
    if (word.size() > kLongestWord) append_parts(word, words);
    else if (!word.empty()) words.push_back(word);
    at = std::max(end, at + 1);
  }
  return words;
}

// Adds to each what is different in it: the words at the first places in which the names differ,
// until no two are alike.
void tell_apart(std::span<const size_t> alike, std::span<const std::string_view> names,
                std::vector<std::string>& shown) {
  std::vector<std::string> readable;  // keeps what the words point into
  for (const size_t index : alike) readable.push_back(demangled_name(names[index]));
  std::vector<std::vector<std::string_view>> words;
  size_t longest = 0;
  for (const std::string& name : readable) {
    words.push_back(words_of(name));
    longest = std::max(longest, words.back().size());
  }
  std::vector<std::string> marks(alike.size());
  size_t used = 0;
  for (size_t place = 0; place < longest && used < kMostWords; ++place) {
    const auto word = [&](size_t i) { return place < words[i].size() ? words[i][place] : "-"; };
    size_t same = 1;
    while (same < alike.size() && word(same) == word(0)) ++same;
    if (same == alike.size()) continue;
    for (size_t i = 0; i < alike.size(); ++i) (marks[i] += used == 0 ? "" : " ").append(word(i));
    ++used;
    if (std::unordered_set<std::string_view>(marks.begin(), marks.end()).size() == marks.size())
      break;
  }
  for (size_t i = 0; i < alike.size(); ++i) {
    if (!marks[i].empty()) shown[alike[i]] += " [" + marks[i] + "]";
  }
}

}  // namespace

std::vector<std::string> distinct_short_names(std::span<const std::string_view> names,
                                              size_t width) {
  std::vector<std::string> shown;
  shown.reserve(names.size());
  for (const std::string_view name : names) shown.push_back(short_name(name, width));
  std::vector<size_t> order(names.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return shown[a] != shown[b] ? shown[a] < shown[b] : a < b; });
  for (size_t first = 0, last = 0; first < order.size(); first = last) {
    while (last < order.size() && shown[order[last]] == shown[order[first]]) ++last;
    if (last - first > 1) tell_apart(std::span(order).subspan(first, last - first), names, shown);
  }
  return shown;
}

std::string fit_distinct_name(std::string_view shown, size_t width) {
  const size_t open = shown.rfind(" [");
  const size_t mark =
      open == std::string_view::npos || shown.back() != ']' ? 0 : shown.size() - open;
  if (mark == 0 || mark + kLeastName > width) return cut_middle(shown, width);
  // From its head: the mark says what the tail would.
  return fit_width(shown.substr(0, open), static_cast<int>(width - mark))
      .append(shown.substr(open));
}

}  // namespace deepprof
