// Words that a person chose from a list: what to say where the word is not in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace deepprof {

// "a, b, c"
std::string joined(const std::vector<std::string>& words);

// The word that was likely meant: at most a third of its letters differ. Empty: none is close.
std::string closest_word(std::string_view word, const std::vector<std::string>& known);

// "no such column foo; did you mean food? There are bar, food" for what = "no such column".
std::string unknown_word(std::string_view what, std::string_view word,
                         const std::vector<std::string>& known);

}  // namespace deepprof
