#include "analysis/cli/words.h"

#include <algorithm>
#include <cctype>

#include "analysis/import/message.h"

namespace deepprof {
namespace {

char lower(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

// Letters to change, add, remove or swap with their neighbour; case aside.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> two_before, before(b.size() + 1), now(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) before[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      now[j] = std::min({before[j] + 1, now[j - 1] + 1, before[j - 1] + !same});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
                           lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) now[j] = std::min(now[j], two_before[j - 2] + 1);
    }
    two_before = before;
    before = now;
  }
  return before.back();
}

}  // namespace

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string closest_word(std::string_view word, const std::vector<std::string>& known) {
  constexpr size_t kLongest = 64;  // nobody mistypes more
  if (word.size() > kLongest) return {};
  std::string best;
  size_t least = word.size() / 3 + 1;
  for (const std::string& candidate : known) {
    const size_t away = distance(word, candidate);
    if (away < least) {
      least = away;
      best = candidate;
    }
  }
  return best;
}

std::string unknown_word(std::string_view what, std::string_view word,
                         const std::vector<std::string>& known) {
  const std::string meant = closest_word(word, known);
  return concat(what, " ", word,
                meant.empty() ? "; there are " : "; did you mean " + meant + "? There are ",
                joined(known));
}

}  // namespace deepprof
