#include "analysis/iterations/borders.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "libdeepprof/upper_median.h"

namespace deepprof {
namespace {

constexpr double kReach = 0.1;     // of an iteration: how far from its border ops may be foreign,
constexpr uint32_t kMostOps = 64;  // but so many at most
constexpr uint32_t kInARow = 6;    // usual ops that show where the usual iteration goes on
constexpr uint32_t kLast = 8;      // ops of the stretch beside it that show what it consists of
constexpr size_t kPeers = 32, kFewestPeers = 3;  // iterations that show what is usual
constexpr size_t kCandidates = 512;
constexpr double kPeerLength = 0.1;  // difference in length of two of a kind
constexpr double kMostly = 0.6;      // of the peers have it
constexpr double kLongest = 0.9;     // of the peers wait no longer than what is usual
constexpr double kFarLonger = 4;     // times the usual wait, and
constexpr double kLongWait = 0.25;   // more than this share of the iteration's time
constexpr uint32_t kInFlight = 32;   // ops launched before that may still run

// An op as the copies of a checkpoint are told from a result: by size, too.
struct Token {
  uint32_t symbol = 0;
  uint64_t bytes = 0;
  friend bool operator==(const Token&, const Token&) = default;
};

// What other iterations of a kind have near one border, from it inwards.
struct Usual {
  std::vector<std::optional<uint32_t>> symbols;  // by place; none: they differ
  std::vector<std::optional<uint64_t>> bytes;    // likewise
  std::vector<int64_t> waits_ns;                 // between the op at a place and the one before it
  int64_t time_ns = 0;                           // of an iteration

  bool fits(size_t place, const Token& token) const {
    return (!symbols[place] || *symbols[place] == token.symbol) &&
           (!bytes[place] || *bytes[place] == token.bytes);
  }
};

// What most of the values are, if most of them agree.
template <typename T>
std::optional<T> common(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  const auto least = static_cast<size_t>(kMostly * static_cast<double>(values.size()));
  for (size_t i = 0; i + least < values.size(); ++i) {
    if (values[i] == values[i + least]) return values[i];
  }
  return std::nullopt;
}

// The borders of one side: the first ops of iterations, or seen in a mirror the last.
class Side {
 public:
  Side(const Trace& trace, const Sequence& sequence, const std::vector<Stretch>& stretches,
       bool ends)
      : trace_(trace), sequence_(sequence), ends_(ends) {
    for (const Stretch& stretch : stretches) {
      // The one at the border itself shows nothing.
      const size_t from = ends ? 0 : 1,
                   to = stretch.tiles.size() - std::min<size_t>(ends, stretch.tiles.size());
      for (size_t i = from; i < to; ++i) {
        if (!stretch.tiles[i].partial) candidates_.push_back(stretch.tiles[i]);
      }
    }
    thin_candidates();
  }

  // How many ops at the tile's border belong to the stretch beside it, which has `beside` ops.
  uint32_t foreign_ops(const Tile& tile, uint32_t beside) {
    const uint32_t length = tile.last - tile.first;
    const uint32_t reach = std::min(static_cast<uint32_t>(kReach * length) + 1, kMostOps);
    if (length < reach + kInARow) return 0;
    const Usual* usual = usual_of(length, reach);
    if (usual == nullptr) return 0;
    tokens_.clear();
    for (uint32_t place = 0; place < reach + kInARow; ++place)
      tokens_.push_back(token(tile, place));
    uint32_t foreign = unlike_usual(*usual, reach);
    for (uint32_t i = foreign; i < reach && continues(tile, i, beside, *usual); ++i) {
      const int64_t wait_ns = wait_before(tile, i + 1);
      if (wait_ns > kFarLonger * usual->waits_ns[i + 1] && wait_ns > kLongWait * usual->time_ns)
        foreign = i + 1;
    }
    return foreign;
  }

 private:
  void thin_candidates() {
    const size_t step = 1 + candidates_.size() / kCandidates;
    for (size_t i = 0; i * step < candidates_.size(); ++i) candidates_[i] = candidates_[i * step];
    candidates_.resize((candidates_.size() + step - 1) / step);
  }

  // The symbol at a place of the tile, counted from the border; negative: beyond it.
  uint32_t at(const Tile& tile, int64_t place) const {
    return static_cast<uint32_t>(ends_ ? tile.last - 1 - place : tile.first + place);
  }
  const Op& op(uint32_t symbol) const {
    return trace_.ops[sequence_.order[sequence_.position(symbol)]];
  }
  Token token(const Tile& tile, int64_t place) const {
    const uint32_t symbol = at(tile, place);
    const Op& found = op(symbol);
    const bool sized = found.kind == Kind::memcpy && found.detail < trace_.details.size();
    return {sequence_.symbols[symbol], sized ? trace_.details[found.detail].bytes : 0};
  }
  // How long the device had nothing to do between the op at a place and the one before it.
  int64_t wait_before(const Tile& tile, uint32_t place) const {
    const uint32_t next = ends_ ? tile.last - place : tile.first + place;
    int64_t start_ns = INT64_MAX, busy_until_ns = INT64_MIN;
    for (uint32_t i = next; i < std::min(next + kLast, tile.last); ++i)
      start_ns = std::min(start_ns, op(i).start_ns);
    for (uint32_t i = next - std::min(next, kInFlight); i < next; ++i)
      busy_until_ns = std::max(busy_until_ns, op(i).end_ns());
    return std::max<int64_t>(start_ns - busy_until_ns, 0);
  }

  const Usual* usual_of(uint32_t length, uint32_t reach) {
    const auto [known, is_new] = usual_.try_emplace(length);
    if (is_new) learn(length, reach, known->second);
    return known->second.symbols.empty() ? nullptr : &known->second;
  }
  void learn(uint32_t length, uint32_t reach, Usual& usual) const {
    std::vector<Tile> peers;
    for (const Tile& tile : candidates_) {
      const double other = tile.last - tile.first;
      if (other <= (1 + kPeerLength) * length && other >= (1 - kPeerLength) * length &&
          other >= reach + kInARow)
        peers.push_back(tile);
    }
    if (peers.size() < kFewestPeers) return;
    const size_t step = 1 + peers.size() / kPeers;
    for (uint32_t place = 0; place < reach + kInARow; ++place) {
      std::vector<uint32_t> symbols;
      std::vector<uint64_t> bytes;
      std::vector<int64_t> waits_ns;
      for (size_t i = 0; i < peers.size(); i += step) {
        const Token seen = token(peers[i], place);
        symbols.push_back(seen.symbol);
        bytes.push_back(seen.bytes);
        if (place > 0) waits_ns.push_back(wait_before(peers[i], place));
      }
      usual.symbols.push_back(common(symbols));
      usual.bytes.push_back(common(bytes));
      std::sort(waits_ns.begin(), waits_ns.end());
      usual.waits_ns.push_back(
          waits_ns.empty()
              ? 0
              : waits_ns[static_cast<size_t>(kLongest * static_cast<double>(waits_ns.size()))]);
    }
    std::vector<int64_t> times_ns;
    for (const Tile& tile : peers)
      times_ns.push_back(op(tile.last - 1).end_ns() - op(tile.first).start_ns);
    usual.time_ns = upper_median(std::move(times_ns));
  }

  // The ops before the first that stands where it does in other iterations, all places moved by as
  // much. 0 where the tile shows nothing of them.
  uint32_t unlike_usual(const Usual& usual, uint32_t reach) const {
    for (uint32_t here = 0; here < reach; ++here) {
      const std::optional<uint32_t> there = nearest_usual(here, usual, reach);
      if (!there) continue;
      uint32_t first = here - std::min(here, *there);
      while (!usual.fits(first + *there - here, tokens_[first])) ++first;
      return first;
    }
    return 0;
  }
  // The place in other iterations of the ops that follow `here`.
  std::optional<uint32_t> nearest_usual(uint32_t here, const Usual& usual, uint32_t reach) const {
    for (uint32_t off = 0; off < reach; ++off) {
      if (off <= here && is_usual(here, usual, here - off)) return here - off;
      if (here + off < reach && is_usual(here, usual, here + off)) return here + off;
    }
    return std::nullopt;
  }
  bool is_usual(uint32_t here, const Usual& usual, uint32_t there) const {
    for (uint32_t i = 0; i < kInARow; ++i) {
      if (!usual.symbols[there + i] || !usual.fits(there + i, tokens_[here + i])) return false;
    }
    return true;
  }

  // Whether the op at a place goes on with what stands beyond the border. Where other iterations
  // have copies of one size there, that size tells an own one.
  bool continues(const Tile& tile, uint32_t place, uint32_t beside, const Usual& usual) const {
    const Token& own = tokens_[place];
    for (uint32_t i = 1; i <= std::min(kLast, beside); ++i) {
      const Token other = token(tile, -static_cast<int64_t>(i));
      if (other == own || (other.symbol == own.symbol && !usual.bytes[place])) return true;
    }
    return false;
  }

  const Trace& trace_;
  const Sequence& sequence_;
  bool ends_;
  std::vector<Tile> candidates_;
  std::vector<Token> tokens_;                  // of the tile in question, by place
  std::unordered_map<uint32_t, Usual> usual_;  // by length of the iteration
};

// First iterations that are slow or do more are beside others of their kind.
bool are_unlike(const Stretch& a, const Stretch& b) {
  return a.tiles.empty() || b.tiles.empty() ||
         (a.kind != SectionKind::warm_up && b.kind != SectionKind::warm_up);
}

void move_border(Stretch& before, Stretch& behind, uint32_t border) {
  before.last = behind.first = border;
  if (!before.tiles.empty()) before.tiles.back().last = border;
  if (!behind.tiles.empty()) behind.tiles.front().first = border;
}

}  // namespace

void settle_borders(const Trace& trace, const Sequence& sequence, std::vector<Stretch>& stretches) {
  Side begins(trace, sequence, stretches, false), ends(trace, sequence, stretches, true);
  const auto length = [](const Stretch& stretch) { return stretch.last - stretch.first; };
  for (size_t i = 1; i < stretches.size(); ++i) {
    Stretch &before = stretches[i - 1], &behind = stretches[i];
    if (!are_unlike(before, behind)) continue;
    if (!behind.tiles.empty() && !behind.tiles.front().partial) {
      const uint32_t foreign = begins.foreign_ops(behind.tiles.front(), length(before));
      if (foreign > 0) {
        move_border(before, behind, behind.first + foreign);
        continue;  // what a tile before was given is not usual there either
      }
    }
    if (!before.tiles.empty() && !before.tiles.back().partial) {
      const uint32_t foreign = ends.foreign_ops(before.tiles.back(), length(behind));
      if (foreign > 0) move_border(before, behind, before.last - foreign);
    }
  }
}

}  // namespace deepprof
