#include "analysis/cli/parse_error.h"

#include <algorithm>

#include "analysis/cli/words.h"
#include "analysis/import/message.h"

namespace deepprof {
namespace {

bool is_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

std::vector<std::string> options_of(const CLI::App& parser) {
  std::vector<std::string> names;
  for (const CLI::Option* option : parser.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

// What was left over: an option that does not exist says more than the words that lost their place
// by it.
std::string explain_extra(const CLI::App& parser) {
  std::vector<std::string> extra = parser.remaining(true);
  std::stable_partition(extra.begin(), extra.end(), is_option);
  if (extra.empty()) return "unexpected argument";
  std::string word = extra[0];
  if (!is_option(word)) return concat("unexpected argument ", word);
  word = word.substr(0, word.find('='));
  const std::string meant = closest_word(word, options_of(parser));
  return concat("no option ", word, meant.empty() ? "" : "; did you mean " + meant + "?");
}

}  // namespace

std::string explain_parse_error(const CLI::App& parser, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return explain_extra(parser);
  return error.what();
}

}  // namespace deepprof
