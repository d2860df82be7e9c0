// A gzip stream under way: text in, compressed bytes out, in memory of its own that does not grow.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace deepprof {

class Gzip {
 public:
  using Put = std::function<void(std::string_view bytes)>;

  Gzip();
  ~Gzip();
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  // Compresses `text` and hands on what is ready.
  void add(std::string_view text, const Put& put) { step(text, false, put); }
  // Once, behind the last text: what is left, and the checksum.
  void finish(const Put& put) { step({}, true, put); }

 private:
  struct State;
  void step(std::string_view text, bool last, const Put& put);

  std::unique_ptr<State> state_;
};

}  // namespace deepprof
