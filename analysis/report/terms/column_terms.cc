#include "analysis/report/terms/term_lists.h"

namespace deepprof {
namespace {

constexpr Term kTerms[] = {
    {"count", "events",
     "How many there are, in what the table is of (the whole trace, unless a filter or its title "
     "says else).",
     "", ""},
    {"total", "", "All of them added up; times of streams are added.", "sum, ns",
     "May exceed the wall time."},
    {"min", "max,longest,p99,deviation",
     "The shortest and the longest; p99: the length that 99 % do not exceed.",
     "percentiles by nearest rank", ""},
    {"start", "end,at,time of a row,first op,span,clock_base",
     "An instant of the trace's own clock, in nanoseconds; in text the time since the first GPU "
     "op, as --from takes it. Span: from the first start to the last end.",
     "", "Clocks of two files are not the same: see clock."},
    {"name", "name before,launch name",
     "Of a kernel or copy: as recorded and demangled. In text it is shortened: template arguments "
     "that tell nothing are left out; CSV and JSON have it whole.",
     "", ""},
    {"file", "key,recorded from", "The file that a row is of, as it was given.", "", ""},
    {"term", "definition,formula,pitfalls,aliases",
     "What `deepprof explain` prints: a word of the report, what it means, how it is computed, "
     "what it does not tell.",
     "", ""},
};

}  // namespace

std::span<const Term> column_terms() { return kTerms; }

}  // namespace deepprof
