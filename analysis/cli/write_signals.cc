#include "analysis/cli/write_signals.h"

#include <array>
#include <csignal>

namespace deepprof {
namespace {

struct WriteSignal {
  int number;
  void (*before)(int) = SIG_DFL;
};
// A reader that has gone, a limit on the size of files.
std::array<WriteSignal, 2> signals{{{SIGPIPE}, {SIGXFSZ}}};

}  // namespace

void ignore_write_signals() {
  for (WriteSignal& each : signals) each.before = std::signal(each.number, SIG_IGN);
}

void restore_write_signals() {
  for (const WriteSignal& each : signals) std::signal(each.number, each.before);
}

}  // namespace deepprof
