// A set of small patterns searched all at once: which is the first of them that occurs in a text?
//
// Kernel names are sorted into categories inside the job's process, where std::regex is too slow,
// recurses on its input and costs 200 KB of code. This is the part of RE2's syntax that category
// rules need, run as a lazily built automaton: one table look-up for each character, whatever the
// number of patterns, and no pattern can make it slower than that.
//
// Syntax: literals  .  [abc] [^a-z]  \. \d \w \s  ( ) (?: )  |  ? * +  ^ $  and (?!literal) as
// the last thing in a top-level alternative. Patterns are unanchored and compared byte by byte.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "libdeepprof/result.h"

namespace deepprof {

class PatternSet {
 public:
  static constexpr uint32_t kNoMatch = UINT32_MAX;

  // Adds a pattern under the next number (0, 1, 2, ...). An error leaves the set as it was.
  Status add(std::string_view pattern);

  // The lowest number of a pattern that occurs in `text`; kNoMatch if none does. Builds its
  // automaton as it goes, so one set may not be searched from two threads at a time.
  uint32_t first_match(std::string_view text);

  uint32_t size() const { return count_; }

 private:
  friend class PatternParser;
  using ByteSet = std::bitset<257>;  // byte 256 stands for the end of the text
  static constexpr size_t kEndOfText = 256;
  static constexpr size_t kMostStates = 2000;  // then the automaton is thrown away and built anew

  struct Node {
    enum class Type : uint8_t { consume, split, at_start, accept } type = Type::split;
    uint32_t next = 0, other = 0;  // split: both; others: next. accept: the pattern's number
    uint32_t bytes = 0;            // consume: index into byte_sets_
  };
  struct State {
    std::vector<uint32_t> nodes;  // consume nodes, ascending
    uint32_t accepts = kNoMatch;  // lowest pattern complete on arrival here
  };

  uint32_t new_node(Node node);
  void close_over(uint32_t node, bool at_start, State& state) const;
  void make_byte_classes();
  uint32_t state_id(State state);
  uint32_t step(uint32_t from, uint8_t byte_class);
  void forget_automaton();

  std::vector<Node> nodes_;
  std::vector<ByteSet> byte_sets_;
  std::vector<uint32_t> starts_;  // entry node of each pattern
  uint32_t count_ = 0;

  // The automaton, built on demand.
  std::array<uint8_t, 257> class_of_{};
  std::vector<uint16_t> example_of_;  // a byte of each class
  std::vector<State> states_;
  std::map<std::vector<uint32_t>, uint32_t> state_ids_;  // key: nodes, then accepts
  std::vector<uint32_t> transitions_;  // states x classes; kNoMatch: not built yet
};

}  // namespace deepprof
