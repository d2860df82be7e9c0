// How a job ends: `--exit WAY`.
//
//   normal      main returns           thread      exit() from a thread that launches
//   exit        exit()                 launching   main returns while another thread goes on
//                                                  launching
//   _exit, quick_exit                  exception   nobody catches it
//   abort, sigterm, sigint, sighup, sigkill, sigsegv, sigquit: by that signal, raised by the job
//   itself
#pragma once

#include "test/fake/host/job.h"

namespace deepprof::fake {

// Returns the exit code for main, or does not return. An unknown way exits with 2.
int end_process(Job& job, const Options& options);

}  // namespace deepprof::fake
