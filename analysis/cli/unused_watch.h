// Says one line when the job of `deepprof run` has ended and no process has loaded the library.
//
// The job takes our place by exec, so that process id, signals and exit code are its own, and a
// library that nobody loads cannot say anything. So a process of its own looks on: no child of the
// job, which may wait for its children; with nothing of the job's open but stderr; told of the
// library being opened by the kernel (inotify), so that nothing in the job knows of it. What that
// cannot tell: docs/decisions/0010-looking-on.md.
#pragma once

#include <string>

namespace deepprof {

class UnusedWatch {
 public:
  // Right before exec. Where the machine lacks something of it, or a filter of system calls ends
  // the process that makes them, there is no watch.
  void start(const std::string& library);
  // exec has failed.
  void call_off();

 private:
  int job_did_not_start_ = -1;  // a pipe that exec closes
};

}  // namespace deepprof
