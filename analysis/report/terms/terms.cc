#include "analysis/report/terms/terms.h"

#include <algorithm>
#include <vector>

#include "analysis/report/page.h"
#include "analysis/report/terms/term_lists.h"

namespace deepprof {
namespace {

std::vector<Term> all_terms() {
  std::vector<Term> all;
  for (const auto list : {iteration_terms, time_terms, work_terms, device_terms, rank_terms,
                          compare_terms, finding_terms, column_terms}) {
    const std::span<const Term> terms = list();
    all.insert(all.end(), terms.begin(), terms.end());
  }
  return all;
}

// Case and punctuation aside.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') out += static_cast<char>(c - 'A' + 'a');
    else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '/' || c == '%') out += c;
  }
  return out;
}

std::string_view without_unit(std::string_view column) {
  for (const std::string_view unit : {"_ns", "_bytes", "_ratio", "_mw", "_mj", "_c", "_mhz"}) {
    if (column.ends_with(unit)) return column.substr(0, column.size() - unit.size());
  }
  return column;
}

bool has_alias(const Term& term, const std::string& wanted) {
  const std::string_view aliases = term.aliases;
  for (size_t at = 0; at < aliases.size();) {
    const size_t end = std::min(aliases.find(',', at), aliases.size());
    if (plain(aliases.substr(at, end - at)) == wanted) return true;
    at = end + 1;
  }
  return false;
}

// Does a word in one of the names (divided by commas) begin so, with the words behind it?
bool begins_in(std::string_view names, const std::string& wanted) {
  for (size_t at = 0; at < names.size();) {
    const size_t end = std::min(names.find(',', at), names.size());
    const std::string_view name = names.substr(at, end - at);
    for (size_t word = 0; word < name.size();) {
      if (plain(name.substr(word)).starts_with(wanted)) return true;
      word = std::min(name.find_first_of(" _-/", word), name.size() - 1) + 1;
    }
    at = end + 1;
  }
  return false;
}

const Term* find_plain(const std::string& wanted) {
  if (wanted.empty()) return nullptr;
  for (const Term& term : terms()) {
    if (plain(term.name) == wanted) return &term;
  }
  for (const Term& term : terms()) {
    if (has_alias(term, wanted)) return &term;
  }
  return nullptr;
}

}  // namespace

std::span<const Term> terms() {
  static const std::vector<Term> all = all_terms();
  return all;
}

const Term* find_exact_term(std::string_view word) {
  const Term* term = find_plain(plain(word));
  return term != nullptr ? term : find_plain(plain(without_unit(word)));
}

const Term* find_term(std::string_view word) {
  if (const Term* exact = find_exact_term(word)) return exact;
  const std::string wanted = plain(word);
  constexpr size_t kTelling = 3;  // "it" begins half of all words
  if (wanted.size() < kTelling) return nullptr;
  for (const Term& term : terms()) {
    if (begins_in(term.name, wanted) || begins_in(term.aliases, wanted)) return &term;
  }
  return nullptr;
}

std::string explain(const Term& term, size_t width) {
  Page page(width, false);
  page.paragraph("", std::string(term.name) + ": " + term.definition);
  if (*term.formula != 0) page.paragraph("  formula   ", term.formula);
  if (*term.pitfalls != 0) page.paragraph("  pitfall   ", term.pitfalls);
  return page.take();
}

}  // namespace deepprof
