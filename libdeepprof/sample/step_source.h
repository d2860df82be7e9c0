// Optimizer steps that Python tells of (scripts/step_hook/sitecustomize.py): one sample when each
// has ended, whose value is how long it took on the host. The two meet in a file of this process
// alone, which we make and Python appends to: a process that is not recorded leaves none.
#pragma once

#include <memory>
#include <string>

#include "libdeepprof/sample/source.h"

namespace deepprof {

// "$TMPDIR/deepprof-steps.<user>.<process>", /tmp where TMPDIR is not set.
std::string own_steps_path();

// The first sample() makes the file, in place of what a killed process left there that had our
// number before. Whoever ends the sampling removes it.
std::unique_ptr<SampleSource> make_step_source(const std::string& path);

}  // namespace deepprof
