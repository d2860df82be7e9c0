// Recordings of modelled jobs for end-to-end tests, made once a test program.
#pragma once

#include <string>

#include "test/fake/run_job.h"

namespace deepprof::test {

// Twelve iterations, an evaluation and a checkpoint: about 16,000 records, 1.6 modelled seconds.
const std::string& small_job();

// small_job under the library with every API call recorded.
JobSpec injected(const std::string& cupti = "13.0");

// The job noticed nothing: it ended by itself with code 0, and its stdout is its own.
void require_unharmed(const JobOutcome& job);

// What lies in a file.
std::string text_of(const std::string& path);

// How long the job may take that takes a moment without us: five seconds more at exit, whatever
// hangs. On a busy machine everything takes longer: so long as the same job without the library,
// measured anew at every call.
double longest_run_s(const std::vector<std::string>& arguments = {});

}  // namespace deepprof::test
