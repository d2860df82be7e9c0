// What bridges a place where the stream leaves the pattern: a few ops too many, missing or
// replaced. All edits are weighed at once, without a branch for each, since none could be foreseen.
// Used by the follower.
#pragma once

#include <cstdint>
#include <span>

namespace deepprof {

struct Edit {
  uint8_t skip_ops = 0, skip_places = 0;
  explicit operator bool() const { return skip_ops + skip_places > 0; }
};

inline constexpr uint32_t kEditWindow = 6;  // most ops or places that one edit skips

// `rest`: the stream from the first op that differs, `expected`: the pattern from there on, of
// which kCompared symbols can be read. False: there is none.
//
// One op replaced, too many or missing, in this order, and six in a row that agree behind it.
Edit single_edit(std::span<const uint32_t> rest, const uint32_t* expected);
// The shortest, by the longer of its two skips, with three in a row that agree behind it; of
// equally long ones that with the most similar skips.
Edit short_edit(std::span<const uint32_t> rest, const uint32_t* expected);

}  // namespace deepprof
