// Optimizer steps that Python tells of (scripts/step_hook/sitecustomize.py): one sample when each has ended,
// whose value is how long it took on the host. The two meet in a file of this process alone.
#pragma once

#include <memory>
#include <string>

#include "libdeepprof/sample/source.h"

namespace deepprof {

// "$TMPDIR/deepprof-steps.<user>.<process>", /tmp where TMPDIR is not set.
std::string own_steps_path();

// Removes what lies there at the start, of a process that had our number before. Whoever ends the sampling
// removes the file itself.
std::unique_ptr<SampleSource> make_step_source(const std::string& path);

}  // namespace deepprof
