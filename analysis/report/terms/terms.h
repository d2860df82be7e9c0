// The words of the report: what each printed term means, how it is computed, and what it does not
// tell. For `deepprof explain TERM`; docs/metrics.md is the long form. A file a subject
// (term_lists.h).
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace deepprof {

struct Term {
  const char* name;     // as printed
  const char* aliases;  // other words that find it, divided by commas; may be empty
  const char* definition;
  const char* formula;   // of what, and in which unit; may be empty
  const char* pitfalls;  // may be empty
};

std::span<const Term> terms();

// The term that this word or column names: its name or an alias, case and punctuation aside, with
// or without the unit at the end of a column's name ("idle_ns"). Null: none.
const Term* find_exact_term(std::string_view word);
// That, else the first term with a word that begins so; else null.
const Term* find_term(std::string_view word);

std::string explain(const Term& term, size_t width);

}  // namespace deepprof
