// The words of the report: what each printed term means, how it is computed, and what it does not tell. For
// `deepprof explain TERM`; docs/metrics.md is the long form.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace deepprof {

struct Term {
  const char* name;     // as printed
  const char* aliases;  // other words that find it, divided by blanks; may be empty
  const char* definition;
  const char* formula;  // of what, and in which unit
  const char* pitfalls;
};

std::span<const Term> terms();

// The term of that name or alias (case and punctuation aside); else the first that holds the word; else null.
const Term* find_term(std::string_view word);

std::string explain(const Term& term, size_t width);

}  // namespace deepprof
