// A file that is being made: under a name of its own beside the one that it will have, so that
// nobody takes half of it for the whole, and SIGKILL leaves none under that name. Where another
// signal ends the command before it is whole, nothing of it stays. One at a time.
#pragma once

#include <functional>
#include <string>

namespace deepprof {

class UnfinishedFile {
 public:
  UnfinishedFile() = default;
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  ~UnfinishedFile() { take_away(); }

  // `create` makes a new file under the name that it is given, and says whether it could (else
  // errno does). No signal comes between that and our knowing. 0, or why not (errno); EEXIST:
  // `path` is there.
  int begin(const std::string& path, const std::function<bool(const std::string&)>& create);
  // It is whole, and has its name from now on. 0, or why not (errno): it is taken away.
  int finish();
  // Nothing of it stays.
  void take_away();

 private:
  void stop_watching();

  std::string path_;  // that it will have
  bool watching_ = false;
};

// Whether the name is of such a file: left behind by a command that was killed, or still written.
bool is_unfinished(const std::string& path);

}  // namespace deepprof
