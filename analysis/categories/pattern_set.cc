#include "analysis/categories/pattern_set.h"

#include <algorithm>
#include <utility>

#include "libdeepprof/text.h"

namespace deepprof {

// Recursive descent into Thompson's construction: every piece has one entry and one open exit.
class PatternParser {
 public:
  PatternParser(PatternSet& set, std::string_view pattern) : set_(set), pattern_(pattern) {}

  Status parse() {
    Piece whole = alternatives(0);
    if (error_.empty() && position_ < pattern_.size())
      fail("a group was closed that was not opened");
    if (!error_.empty()) return Error{error_};
    PatternSet::Node accept;
    accept.type = PatternSet::Node::Type::accept;
    accept.next = set_.count_;
    set_.nodes_[whole.exit].next = set_.nodes_[whole.exit].other = set_.new_node(accept);
    set_.starts_.push_back(whole.entry);
    return Done{};
  }

 private:
  using Node = PatternSet::Node;
  struct Piece {
    uint32_t entry = 0, exit = 0;  // exit is a split node whose two ways are both open
  };
  static constexpr int kDeepestGroup = 20;

  bool more() const { return error_.empty() && position_ < pattern_.size(); }
  bool at(std::string_view text) const { return pattern_.substr(position_, text.size()) == text; }
  void fail(const char* what) {
    if (error_.empty()) {
      error_ = format_text("pattern '%.*s', character %zu: %s", static_cast<int>(pattern_.size()),
                           pattern_.data(), position_ + 1, what);
    }
  }

  Piece empty_piece() {
    const uint32_t node = set_.new_node({});
    return {node, node};
  }
  void join(uint32_t exit, uint32_t to) { set_.nodes_[exit].next = set_.nodes_[exit].other = to; }
  uint32_t split(uint32_t a, uint32_t b) {
    Node node;
    node.next = a;
    node.other = b;
    return set_.new_node(node);
  }
  Piece consume(const PatternSet::ByteSet& bytes) {
    Node node;
    node.type = Node::Type::consume;
    node.bytes = static_cast<uint32_t>(set_.byte_sets_.size());
    set_.byte_sets_.push_back(bytes);
    const uint32_t exit = set_.new_node({});
    node.next = exit;
    return {set_.new_node(node), exit};
  }

  Piece alternatives(int depth) {
    if (depth > kDeepestGroup) fail("groups are nested too deeply");
    Piece all = sequence(depth);
    while (more() && at("|")) {
      ++position_;
      const Piece other = sequence(depth);
      const uint32_t exit = set_.new_node({});
      join(all.exit, exit);
      join(other.exit, exit);
      all = {split(all.entry, other.entry), exit};
    }
    return all;
  }

  Piece sequence(int depth) {
    Piece all = empty_piece();
    while (more() && !at("|") && !at(")")) {
      if (at("(?!")) {
        const Piece tail = not_followed_by();
        if (depth > 0 || (more() && !at("|"))) fail("(?!...) must end a top-level alternative");
        join(all.exit, tail.entry);
        all.exit = tail.exit;
        break;
      }
      const Piece piece = repeated(depth);
      join(all.exit, piece.entry);
      all.exit = piece.exit;
    }
    return all;
  }

  Piece repeated(int depth) {
    Piece piece = single(depth);
    while (more() && (at("?") || at("*") || at("+"))) {
      const char mark = pattern_[position_++];
      const uint32_t exit = set_.new_node({});
      const uint32_t choice = split(piece.entry, exit);
      join(piece.exit, mark == '?' ? exit : choice);
      piece = {mark == '+' ? piece.entry : choice, exit};
    }
    return piece;
  }

  Piece single(int depth) {
    const char c = pattern_[position_];
    PatternSet::ByteSet bytes;
    switch (c) {
      case '(': {
        position_ += at("(?:") ? 3 : 1;
        const Piece inner = alternatives(depth + 1);
        if (!more() || !at(")")) fail("a group is not closed");
        ++position_;
        return inner;
      }
      case '[': return consume(bracketed());
      case '.':
        bytes.set();
        bytes.reset(PatternSet::kEndOfText);
        break;
      case '$': bytes.set(PatternSet::kEndOfText); break;
      case '\\': return consume(escaped());
      case '^': {
        ++position_;
        const uint32_t exit = set_.new_node({});
        Node node;
        node.type = Node::Type::at_start;
        node.next = exit;
        return {set_.new_node(node), exit};
      }
      case '?':
      case '*':
      case '+': fail("nothing to repeat"); [[fallthrough]];
      default: bytes.set(static_cast<uint8_t>(c));
    }
    ++position_;
    return consume(bytes);
  }

  PatternSet::ByteSet escaped() {
    PatternSet::ByteSet bytes;
    if (position_ + 1 >= pattern_.size()) {
      fail("nothing after the backslash");
      return bytes;
    }
    const char c = pattern_[position_ + 1];
    position_ += 2;
    const auto range = [&](char from, char to) {
      for (int b = from; b <= to; ++b) bytes.set(static_cast<size_t>(b));
    };
    if (c == 'w') {
      range('a', 'z');
      range('A', 'Z');
      range('0', '9');
      range('_', '_');
    } else if (c == 'd') range('0', '9');
    else if (c == 's') {
      range('\t', '\r');
      range(' ', ' ');
    } else bytes.set(static_cast<uint8_t>(c));
    return bytes;
  }

  PatternSet::ByteSet bracketed() {
    PatternSet::ByteSet bytes;
    ++position_;
    const bool inverted = more() && at("^");
    if (inverted) ++position_;
    for (bool first = true; more() && (first || !at("]")); first = false) {
      if (at("\\")) {
        bytes |= escaped();
        continue;
      }
      const auto from = static_cast<uint8_t>(pattern_[position_++]);
      uint8_t to = from;
      if (position_ + 1 < pattern_.size() && at("-") && pattern_[position_ + 1] != ']') {
        to = static_cast<uint8_t>(pattern_[position_ + 1]);
        position_ += 2;
      }
      if (to < from) fail("a range runs backwards");
      for (size_t b = from; b <= to; ++b) bytes.set(b);
    }
    if (!more()) {
      fail("a bracket is not closed");
      return bytes;
    }
    ++position_;
    if (inverted) {
      bytes.flip();
      bytes.reset(PatternSet::kEndOfText);
    }
    return bytes;
  }

  // "not followed by abc" is "then the end or no a, or a and then the end or no b, ...": it may
  // consume what it looks at because nothing of the pattern follows it.
  Piece not_followed_by() {
    position_ += 3;
    const size_t close = pattern_.find(')', position_);
    const std::string_view word =
        pattern_.substr(position_, close == std::string_view::npos ? 0 : close - position_);
    if (word.empty() || word.find_first_of("()[].*+?|^$\\") != std::string_view::npos) {
      fail("(?!...) takes a literal word");
      return empty_piece();
    }
    position_ = close + 1;
    const uint32_t exit = set_.new_node({});
    Piece all = empty_piece();
    uint32_t here = all.exit;
    for (const char c : word) {
      PatternSet::ByteSet differs;
      differs.set();
      differs.reset(static_cast<uint8_t>(c));
      const Piece away = consume(differs);
      join(away.exit, exit);
      PatternSet::ByteSet same;
      same.set(static_cast<uint8_t>(c));
      const Piece along = consume(same);
      set_.nodes_[here].next = away.entry;
      set_.nodes_[here].other = along.entry;
      here = along.exit;
    }
    // The whole word was there: a dead end. A consume node of no byte never matches.
    join(here, consume({}).entry);
    all.exit = exit;
    return all;
  }

  PatternSet& set_;
  std::string_view pattern_;
  size_t position_ = 0;
  std::string error_;
};

Status PatternSet::add(std::string_view pattern) {
  forget_automaton();
  const auto nodes = nodes_.size(), byte_sets = byte_sets_.size(), starts = starts_.size();
  Status done = PatternParser(*this, pattern).parse();
  if (done.ok()) {
    ++count_;
  } else {
    nodes_.resize(nodes);
    byte_sets_.resize(byte_sets);
    starts_.resize(starts);
  }
  return done;
}

uint32_t PatternSet::new_node(Node node) {
  // An exit that nothing has been joined to yet points at itself.
  const auto id = static_cast<uint32_t>(nodes_.size());
  if (node.type == Node::Type::split && node.next == 0 && node.other == 0)
    node.next = node.other = id;
  nodes_.push_back(node);
  return id;
}

void PatternSet::close_over(uint32_t entry, bool at_start, State& state) const {
  std::vector<uint32_t> open{entry};
  std::vector<bool> seen(nodes_.size());
  while (!open.empty()) {
    const uint32_t id = open.back();
    open.pop_back();
    if (seen[id]) continue;
    seen[id] = true;
    const Node& node = nodes_[id];
    switch (node.type) {
      case Node::Type::consume: state.nodes.push_back(id); break;
      case Node::Type::accept: state.accepts = std::min(state.accepts, node.next); break;
      case Node::Type::at_start:
        if (at_start) open.push_back(node.next);
        break;
      case Node::Type::split:
        open.push_back(node.next);
        if (node.other != node.next) open.push_back(node.other);
        break;
    }
  }
}

// Bytes that no pattern tells apart share one column of the transition table.
void PatternSet::make_byte_classes() {
  std::map<std::vector<bool>, uint8_t> classes;
  for (size_t byte = 0; byte <= kEndOfText; ++byte) {
    std::vector<bool> signature{byte == kEndOfText};
    for (const ByteSet& bytes : byte_sets_) signature.push_back(bytes[byte]);
    const auto [found, is_new] = classes.emplace(signature, static_cast<uint8_t>(classes.size()));
    class_of_[byte] = found->second;
    if (is_new) example_of_.push_back(static_cast<uint16_t>(byte));
  }
}

uint32_t PatternSet::state_id(State state) {
  std::sort(state.nodes.begin(), state.nodes.end());
  state.nodes.erase(std::unique(state.nodes.begin(), state.nodes.end()), state.nodes.end());
  std::vector<uint32_t> key = state.nodes;
  key.push_back(state.accepts);
  const auto [found, is_new] =
      state_ids_.emplace(std::move(key), static_cast<uint32_t>(states_.size()));
  if (is_new) {
    states_.push_back(std::move(state));
    transitions_.resize(states_.size() * example_of_.size(), kNoMatch);
  }
  return found->second;
}

uint32_t PatternSet::step(uint32_t from, uint8_t byte_class) {
  State to;
  for (const uint32_t id : states_[from].nodes) {
    if (byte_sets_[nodes_[id].bytes][example_of_[byte_class]])
      close_over(nodes_[id].next, false, to);
  }
  // A match may begin at any character.
  for (const uint32_t start : starts_) close_over(start, false, to);
  const uint32_t id = state_id(std::move(to));
  transitions_[from * example_of_.size() + byte_class] = id;
  return id;
}

void PatternSet::forget_automaton() {
  example_of_.clear();
  states_.clear();
  state_ids_.clear();
  transitions_.clear();
}

uint32_t PatternSet::first_match(std::string_view text) {
  if (states_.size() > kMostStates) forget_automaton();
  if (states_.empty()) {
    make_byte_classes();
    State initial;
    for (const uint32_t start : starts_) close_over(start, true, initial);
    state_id(std::move(initial));
  }
  uint32_t state = 0;
  uint32_t best = states_[0].accepts;
  for (size_t i = 0; i <= text.size() && best != 0; ++i) {
    const uint8_t byte_class =
        class_of_[i < text.size() ? static_cast<uint8_t>(text[i]) : kEndOfText];
    const uint32_t known = transitions_[state * example_of_.size() + byte_class];
    state = known != kNoMatch ? known : step(state, byte_class);
    best = std::min(best, states_[state].accepts);
  }
  return best;
}

}  // namespace deepprof
