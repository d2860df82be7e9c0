// A file that is being made: where a signal ends the command before it is whole, nothing of it
// stays. One at a time.
#pragma once

#include <functional>
#include <string>

namespace deepprof {

class UnfinishedFile {
 public:
  UnfinishedFile() = default;
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  ~UnfinishedFile() { finished(); }

  // `create` says whether it has made the file. No signal comes between that and our knowing.
  void watch(const std::string& path, const std::function<bool()>& create);
  // It is whole, or has been taken away.
  void finished();

 private:
  bool watching_ = false;
};

}  // namespace deepprof
