#include "analysis/pattern/edit.h"

#include <algorithm>
#include <array>
#include <bit>

#include "analysis/pattern/agreement.h"

namespace deepprof {
namespace {

constexpr uint32_t kRead = 24;  // symbols of either string that are looked at
static_assert(kRead >= kEditWindow + 16 && kRead <= kCompared);

// Calls search(stream) with at least kRead symbols: behind the stream's end, such as no pattern
// holds.
template <typename Search>
Edit search_padded(std::span<const uint32_t> rest, uint32_t confirmed, Search search) {
  if (rest.size() >= kRead) return search(rest.data());
  std::array<uint32_t, kRead> padded;
  padded.fill(UINT32_MAX);
  std::copy(rest.begin(), rest.end(), padded.begin());
  const Edit edit = search(padded.data());
  return edit.skip_ops + confirmed <= rest.size() ? edit : Edit{};
}

// Bit i: the three symbols from i on agree.
uint32_t three_agree(const uint32_t* a, const uint32_t* b) {
  const uint32_t same = ~differences(a, b);
  return same & same >> 1 & same >> 2;
}

}  // namespace

Edit single_edit(std::span<const uint32_t> rest, const uint32_t* expected) {
  return search_padded(rest, 6, [expected](const uint32_t* stream) {
    constexpr Edit kNone{}, kReplaced{1, 1}, kInserted{1, 0}, kDeleted{0, 1};
    constexpr Edit kFound[] = {kNone,    kReplaced, kInserted, kReplaced,
                               kDeleted, kReplaced, kInserted, kReplaced};
    constexpr uint32_t kSix = 0x3f;
    const bool replaced = (differences(stream, expected) & kSix << 1) == 0;
    const bool inserted = (differences(stream + 1, expected) & kSix) == 0;
    const bool deleted = (differences(stream, expected + 1) & kSix) == 0;
    return kFound[replaced | inserted << 1 | deleted << 2];
  });
}

Edit short_edit(std::span<const uint32_t> rest, const uint32_t* expected) {
  return search_padded(rest, 3, [expected](const uint32_t* stream) {
    // By the difference between the two skips. Bit l: the longer may be l.
    std::array<uint32_t, kEditWindow + 1> fewer_places, fewer_ops;
    uint32_t any = 0;
    for (uint32_t less = 0; less <= kEditWindow; ++less) {
      fewer_places[less] = three_agree(stream + less, expected) << less;
      fewer_ops[less] = three_agree(stream, expected + less) << less;
      any |= fewer_places[less] | fewer_ops[less];
    }
    any &= (uint32_t{2} << kEditWindow) - 2;
    if (any == 0) return Edit{};
    const int longer = std::countr_zero(any);
    int less = 0;
    while (((fewer_places[static_cast<size_t>(less)] | fewer_ops[static_cast<size_t>(less)]) >>
                longer &
            1) == 0)
      ++less;
    const auto most = static_cast<uint8_t>(longer), least = static_cast<uint8_t>(longer - less);
    const bool places = (fewer_places[static_cast<size_t>(less)] >> longer & 1) != 0;
    return places ? Edit{most, least} : Edit{least, most};
  });
}

}  // namespace deepprof
