// The terms by subject, in the order in which they are listed.
#pragma once

#include <span>

#include "analysis/report/terms/terms.h"

namespace deepprof {

std::span<const Term> iteration_terms();  // what repeats, and how sure that is
std::span<const Term> time_terms();       // where the time goes, why the GPU was idle
std::span<const Term> work_terms();       // kernels, copies, streams, calls
std::span<const Term> device_terms();     // what is sampled beside the run
std::span<const Term> rank_terms();       // ranks of a job
std::span<const Term> compare_terms();    // runs against each other
std::span<const Term> finding_terms();    // verdicts, and words about the data
std::span<const Term> column_terms();     // columns that many tables have

}  // namespace deepprof
