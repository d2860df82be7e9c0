// A terminal that shows one page after the other: the alternate screen, single keys, and everything
// put back at the end, also after Ctrl-C.
#pragma once

#include <string>

namespace deepprof {

class LiveScreen {
 public:
  LiveScreen();
  ~LiveScreen();
  LiveScreen(const LiveScreen&) = delete;
  LiveScreen& operator=(const LiveScreen&) = delete;

  int rows() const;
  // Draws the page over the last one; lines beyond the screen are left out.
  void show(const std::string& page);
  // Waits for a key or a signal to stop. False: stop (q, Ctrl-C, or the terminal has gone).
  bool wait(double seconds, char& key);
};

}  // namespace deepprof
