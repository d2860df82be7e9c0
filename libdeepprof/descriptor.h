// Files of ours never take the numbers of standard input, output and error: where a job starts with
// one of them closed, what it prints there would land in our file.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace deepprof {

// `descriptor` as open() returned it; returns it, or a copy above 2 and closes it. -1 and errno as
// open().
inline int above_standard(int descriptor) {
  if (descriptor < 0 || descriptor > STDERR_FILENO) return descriptor;
  const int moved = ::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  const int error = errno;
  ::close(descriptor);
  errno = error;
  return moved;
}

}  // namespace deepprof
