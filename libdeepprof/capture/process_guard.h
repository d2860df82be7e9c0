// Is this still the process that capture was started in? After fork() the child has our memory but
// none of our threads: there nothing may be flushed, written, unmapped or waited for, and CUPTI may
// not be called.
#pragma once

namespace deepprof {

// Start-up thread, once: remembers the process and registers a pthread_atfork handler.
void guard_this_process();

// False in a forked child, and before guard_this_process(). Any thread, any time; no system call.
bool in_guarded_process() noexcept;

// The same by asking the kernel: also right where a child was made without fork handlers (a raw
// clone).
bool in_guarded_process_by_pid() noexcept;

}  // namespace deepprof
