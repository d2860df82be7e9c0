// What we say to the person who runs the job: single short lines on stderr, "deepprof: ...". Never
// stdout, never a signal to the job (a closed pipe or a file at its limit raises none), never an
// endless wait (a reader that has stopped reading is given up on). Everything said also goes to the
// log of DEEPPROF_LOG.
//
// Threads with descriptors of their own (capture/own_descriptors.h) have no stderr: what they say
// is kept until another thread calls say_what_was_kept().
#pragma once

#include <cstdint>
#include <string_view>

namespace deepprof {

// One line; the prefix and the newline are added.
void notice(std::string_view sentence) noexcept;

// Text as it is, for the report. Gives up at the monotonic time `deadline_ns`.
void write_stderr(std::string_view text, int64_t deadline_ns) noexcept;

// Says what was kept so far. Not for threads with descriptors of their own.
void say_what_was_kept() noexcept;

}  // namespace deepprof
