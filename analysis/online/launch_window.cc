#include "analysis/online/launch_window.h"

namespace deepprof {

// Mostly in order: the sorted front that the last call left, then runs from each thread's buffers.
void LaunchWindow::sort() {
  auto sorted_to = std::is_sorted_until(held_.begin(), held_.end(), launched_before);
  if (sorted_to == held_.end()) return;
  std::stable_sort(sorted_to, held_.end(), launched_before);
  std::inplace_merge(held_.begin(), sorted_to, held_.end(), launched_before);
}

}  // namespace deepprof
