#include "analysis/findings/align.h"

#include <algorithm>

namespace deepprof {
namespace {

// Myers' greedy algorithm. On diagonal k = x - y, reach[k] is the furthest x that `edits` edits
// lead to; the rows of all edit counts are kept to walk the path back.
class EditPath {
 public:
  EditPath(std::span<const NameId> a, std::span<const NameId> b) : a_(a), b_(b) {}

  bool search(int most_edits) {
    const int n = static_cast<int>(a_.size()), m = static_cast<int>(b_.size());
    const int limit = std::min(most_edits, n + m);
    std::vector<int> reach(static_cast<size_t>(2 * limit + 3), 0);
    offset_ = limit + 1;
    for (int edits = 0; edits <= limit; ++edits) {
      for (int k = -edits; k <= edits; k += 2) {
        const bool down = comes_down(reach, k, edits);
        int x = down ? at(reach, k + 1) : at(reach, k - 1) + 1;
        if (edits == 0) x = 0;
        while (x < n && x - k < m && a_[static_cast<size_t>(x)] == b_[static_cast<size_t>(x - k)])
          ++x;
        at(reach, k) = x;
        if (x >= n && x - k >= m) {
          rows_.emplace_back(reach);
          return true;
        }
      }
      rows_.emplace_back(reach);
    }
    return false;
  }

  // Appends the path in order, positions shifted by `shift`.
  void append_to(std::vector<Aligned>& out, uint32_t shift) {
    std::vector<Aligned> reversed;
    int x = static_cast<int>(a_.size()), y = static_cast<int>(b_.size());
    for (int edits = static_cast<int>(rows_.size()) - 1; edits >= 0; --edits) {
      const int k = x - y;
      int from_x = 0, from_y = 0;
      if (edits > 0) {
        std::vector<int>& before = rows_[static_cast<size_t>(edits - 1)];
        const int from_k = comes_down(before, k, edits) ? k + 1 : k - 1;
        from_x = at(before, from_k);
        from_y = from_x - from_k;
      }
      while (x > from_x && y > from_y)
        reversed.push_back(
            {shift + static_cast<uint32_t>(--x), shift + static_cast<uint32_t>(--y)});
      if (edits == 0) break;
      if (x > from_x) reversed.push_back({shift + static_cast<uint32_t>(--x), kNone});
      else reversed.push_back({kNone, shift + static_cast<uint32_t>(--y)});
    }
    out.insert(out.end(), reversed.rbegin(), reversed.rend());
  }

 private:
  int& at(std::vector<int>& reach, int k) const { return reach[static_cast<size_t>(k + offset_)]; }
  bool comes_down(std::vector<int>& reach, int k, int edits) const {
    return k == -edits || (k != edits && at(reach, k - 1) < at(reach, k + 1));
  }

  std::span<const NameId> a_, b_;
  int offset_ = 0;
  std::vector<std::vector<int>> rows_;
};

}  // namespace

std::vector<Aligned> align(std::span<const NameId> a, std::span<const NameId> b, int most_edits) {
  std::vector<Aligned> out;
  uint32_t head = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) {
    out.push_back({head, head});
    ++head;
  }
  size_t tail = 0;
  while (tail < a.size() - head && tail < b.size() - head &&
         a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  const auto middle_a = a.subspan(head, a.size() - head - tail),
             middle_b = b.subspan(head, b.size() - head - tail);
  EditPath path(middle_a, middle_b);
  if (path.search(most_edits)) {
    path.append_to(out, head);
  } else {
    for (uint32_t i = 0; i < middle_a.size(); ++i) out.push_back({head + i, kNone});
    for (uint32_t i = 0; i < middle_b.size(); ++i) out.push_back({kNone, head + i});
  }
  for (size_t i = tail; i > 0; --i) {
    out.push_back({static_cast<uint32_t>(a.size() - i), static_cast<uint32_t>(b.size() - i)});
  }
  return out;
}

}  // namespace deepprof
