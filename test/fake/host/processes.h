// What a job does with processes while its threads launch: `--process WHAT`.
//
//   fork-exit, fork-_exit    a child that ends by exit(), or by _exit() as Python's multiprocessing
//                            does
//   fork-launch              a child that goes on launching (the driver refuses) and calls exit()
//   fork-storm               a hundred children that end by _exit()
//   fork-storms              a hundred a second, almost to the end of the job
//   daemon                   double fork with setsid, the grandchild ends by exit()
//   spawn                    fork and exec of /bin/true
//   exec                     replaces itself by /bin/true once everything has been launched
// The parent waits for its children; a child that does not end well makes it exit with 92.
#pragma once

#include "test/fake/host/job.h"

namespace deepprof::fake {

// -1: go on; else the exit code for main.
int run_processes(const Options& options, Job& job);

}  // namespace deepprof::fake
