// Traces whose iterations are known: recorded ones from DEEPPROF_CORPUS/truth, and generated ones
// (hard_cases.h). Test code only.
#pragma once

#include <string>
#include <vector>

#include "analysis/model/trace.h"

namespace deepprof::test {

struct LabelledTrace {
  std::string name;
  Trace trace;            // finished
  std::vector<int> step;  // by index into trace.ops: number of the marked iteration, -1: none
};

// The folder of recorded traces; empty where there is none (the test then says so and passes).
std::string corpus_folder();

// Names of the recorded traces with truth, sorted.
std::vector<std::string> corpus_names();

// Reads truth/NAME.csv.gz. Throws std::runtime_error on a file that cannot be read.
LabelledTrace read_corpus_truth(const std::string& name);

}  // namespace deepprof::test
