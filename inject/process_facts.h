// What a trace says of the process that it was recorded in: host, number, command line, rank, tags.
#pragma once

#include "inject/options.h"
#include "libdeepprof/capture/definitions.h"

namespace deepprof {

void publish_process_facts(const Options& options, const Rank& rank, DefinitionLog& log);

}  // namespace deepprof
