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

  // Compresses `text` and hands on what is ready. False: the library failed (no memory).
  [[nodiscard]] bool add(std::string_view text, const Put& put) { return step(text, false, put); }
  // Once, behind the last text: what is left, and the checksum. False as above.
  [[nodiscard]] bool finish(const Put& put) { return step({}, true, put); }

 private:
  struct State;
  bool step(std::string_view text, bool last, const Put& put);

  std::unique_ptr<State> state_;
};

}  // namespace deepprof
