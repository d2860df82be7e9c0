// Where the command's words go: results to stdout, everything else to stderr. Colour and progress
// only where a person looks on.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace deepprof {

class Console {
 public:
  explicit Console(bool quiet = false) : quiet_(quiet) {}

  // Results. A reader that has gone (broken pipe) ends the command quietly with exit code 0, as the
  // reader has seen what it wanted.
  void print(std::string_view text);
  // One line on stderr.
  void say(std::string_view line);

  // A progress callback for long work: shows "LABEL 42 %" on stderr, and only when that is a
  // terminal and the work takes longer than half a second. Empty (and so free) otherwise.
  std::function<void(double)> progress(const std::string& label);
  // Wipes the progress line.
  void end_progress();

  bool color() const;  // stdout is a terminal and NO_COLOR is unset
  int width() const;   // COLUMNS, else of stdout's terminal, else 0 (no limit)
  void set_quiet(bool quiet) { quiet_ = quiet; }

 private:
  bool quiet_;
  bool progress_shown_ = false;
};

}  // namespace deepprof
