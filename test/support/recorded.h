// Recorded traces as the command reads them, host calls and sizes of copies included, with the
// labels of their truth tables. Test code only.
#pragma once

#include <string>

#include "test/support/truth.h"

namespace deepprof::test {

// The truth table alone (read_corpus_truth) where the recording's format cannot be read.
LabelledTrace read_recorded(const std::string& name);

}  // namespace deepprof::test
