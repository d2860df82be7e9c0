#include "libdeepprof/descriptor.h"

#include <sys/stat.h>

#include "test/support/catch.h"

using namespace deepprof;

TEST_CASE("a file opened where standard output is closed takes a number above the standard ones") {
  const int kept = ::dup(STDOUT_FILENO);
  ::close(STDOUT_FILENO);
  const int opened = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  const int moved = above_standard(opened);
  struct stat info {};
  const bool free_again = ::fstat(STDOUT_FILENO, &info) != 0;
  ::dup2(kept, STDOUT_FILENO);
  ::close(kept);
  CHECK(opened == STDOUT_FILENO);
  CHECK(moved > STDERR_FILENO);
  CHECK(free_again);
  CHECK((::fcntl(moved, F_GETFD) & FD_CLOEXEC) != 0);
  ::close(moved);
  CHECK(above_standard(-1) == -1);
}
