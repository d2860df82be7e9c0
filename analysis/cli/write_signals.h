// Signals that a failed write raises: the command ignores them (write() then returns an error,
// which is told or ends the output quietly), and a job that it starts gets back what the command
// itself was started with.
#pragma once

namespace deepprof {

void ignore_write_signals();
void restore_write_signals();  // before exec()

}  // namespace deepprof
