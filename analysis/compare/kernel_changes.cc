#include "analysis/compare/kernel_changes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "analysis/compare/difference.h"

namespace deepprof {
namespace {

// know a spread within 5 %, and there may be thousands of places
constexpr size_t kSpreadResamples = 200;

double mean_of(const std::vector<double>& values, const RunProfile& run) {
  const auto weights = run.resamples.point(Over::typical);
  double sum = 0;
  for (size_t i = 0; i < values.size(); ++i) sum += values[i] * static_cast<double>(weights[i]);
  return sum;
}

// What one key has in both runs, by places of the patterns.
struct Shared {
  std::vector<Aligned> matched;
  std::vector<uint32_t> only_a, only_b;
  uint32_t op_a = kNone, op_b = kNone;  // in the patterns' ops
  size_t moved() const { return std::min(only_a.size(), only_b.size()); }
  // Of the places together, where that is another question than of each alone.
  bool asks_whole() const { return moved() > 0 || matched.size() > 1; }
  bool asks_surplus() const { return only_a.size() != only_b.size(); }
};

// A question put to the runs, and how sure the answer is.
struct Test {
  double change = 0;  // relative, or a count
  double chance = 1;
  bool significant = false;
};

class Matcher {
 public:
  Matcher(const RunProfile& a, const RunProfile& b)
      : a_(a), b_(b), pairs_(align_patterns(a.pattern, b.pattern)) {}

  std::vector<OpChange> run() {
    sort_by_key();
    for (auto& [key, shared] : by_key_) ask(shared);
    judge();
    for (auto& [key, shared] : by_key_) answer_times(shared);
    pair_replacements();
    answer_surplus();
    return sorted();
  }

 private:
  void sort_by_key() {
    for (const Aligned& pair : pairs_) {
      const uint32_t op_a = pair.a == kNone ? kNone : a_.pattern.positions[pair.a].op,
                     op_b = pair.b == kNone ? kNone : b_.pattern.positions[pair.b].op;
      Shared& shared =
          by_key_[pair.a != kNone ? a_.pattern.ops[op_a].key : b_.pattern.ops[op_b].key];
      if (op_a != kNone) shared.op_a = op_a;
      if (op_b != kNone) shared.op_b = op_b;
      if (pair.a == kNone) shared.only_b.push_back(pair.b);
      else if (pair.b == kNone) shared.only_a.push_back(pair.a);
      else shared.matched.push_back(pair);
    }
    // A key may be missing from a pattern and still be launched now and then.
    for (auto& [key, shared] : by_key_) {
      if (shared.op_a == kNone) shared.op_a = find_op(a_.pattern, key);
      if (shared.op_b == kNone) shared.op_b = find_op(b_.pattern, key);
    }
  }
  static uint32_t find_op(const IterationPattern& pattern, const std::string& key) {
    for (uint32_t i = 0; i < pattern.ops.size(); ++i) {
      if (pattern.ops[i].key == key) return i;
    }
    return kNone;
  }

  static Spread spread(const std::vector<double>& values, const RunProfile& run,
                       double least_error) {
    return spread_of(values, run.resamples, Over::typical, least_error, kSpreadResamples);
  }
  Test time_test(const std::vector<double>& in_a, const std::vector<double>& in_b,
                 size_t places) const {
    const double step = kStepDeviation * std::sqrt(static_cast<double>(places));
    const Spread a = spread(in_a, a_, step * a_.clock_ns), b = spread(in_b, b_, step * b_.clock_ns);
    return {a.mean > 0 ? b.mean / a.mean - 1 : 0, chance_of(a, b)};
  }
  // Places of a key that both patterns have, wherever they lie.
  std::vector<double> sum_of(const Shared& shared, bool of_a) const {
    const RunProfile& run = of_a ? a_ : b_;
    std::vector<double> sum(run.resamples.size(), 0);
    const auto add = [&](uint32_t place) {
      const std::vector<double>& ns = run.pattern.positions[place].ns;
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += ns[i];
    };
    for (const Aligned& pair : shared.matched) add(of_a ? pair.a : pair.b);
    const std::vector<uint32_t>& only = of_a ? shared.only_a : shared.only_b;
    for (size_t i = 0; i < shared.moved(); ++i) add(only[i]);
    return sum;
  }
  Test count_test(const Shared& shared) const {
    const std::vector<double> none_a(a_.resamples.size(), 0), none_b(b_.resamples.size(), 0);
    const Spread a = spread(shared.op_a == kNone ? none_a : a_.pattern.ops[shared.op_a].count, a_,
                            0),
                 b = spread(shared.op_b == kNone ? none_b : b_.pattern.ops[shared.op_b].count, b_,
                            0);
    return {b.mean - a.mean, chance_of(a, b)};
  }

  struct Asked {
    std::vector<Test> places;  // parallel to Shared::matched
    Test whole, surplus;
  };
  void ask(const Shared& shared) {
    Asked& asked = asked_[&shared];
    for (const Aligned& pair : shared.matched)
      asked.places.push_back(
          time_test(a_.pattern.positions[pair.a].ns, b_.pattern.positions[pair.b].ns, 1));
    if (shared.asks_whole())
      asked.whole = time_test(sum_of(shared, true), sum_of(shared, false),
                              shared.matched.size() + shared.moved());
    if (shared.asks_surplus()) asked.surplus = count_test(shared);
  }

  void judge() {
    std::vector<Test*> tests;
    for (auto& [key, shared] : by_key_) {
      Asked& asked = asked_[&shared];
      for (Test& test : asked.places) tests.push_back(&test);
      if (shared.asks_whole()) tests.push_back(&asked.whole);
      if (shared.asks_surplus()) tests.push_back(&asked.surplus);
    }
    std::vector<double> chances;
    for (const Test* test : tests) chances.push_back(test->chance);
    const std::vector<bool> holds = deepprof::significant(chances);
    for (size_t i = 0; i < tests.size(); ++i) tests[i]->significant = holds[i];
  }

  static OpVerdict time_verdict(const Test& test) {
    if (!test.significant || std::fabs(test.change) < kLeastOpChange) return OpVerdict::same;
    return test.change > 0 ? OpVerdict::slower : OpVerdict::faster;
  }

  OpChange& row(OpVerdict verdict, uint32_t op_a, uint32_t op_b) {
    OpChange& row = rows_[{verdict, op_a, op_b}];
    row.verdict = verdict;
    if (op_a != kNone) row.name_a = a_.pattern.ops[op_a].name;
    if (op_b != kNone) row.name_b = b_.pattern.ops[op_b].name;
    row.category = op_b != kNone ? b_.pattern.ops[op_b].category : a_.pattern.ops[op_a].category;
    return row;
  }
  void add(OpChange& row, uint32_t place_a, uint32_t place_b, double chance) const {
    ++row.places;
    row.chance = std::min(row.chance, chance);
    if (place_a != kNone)
      row.count_a += 1, row.ns_a += mean_of(a_.pattern.positions[place_a].ns, a_);
    if (place_b != kNone)
      row.count_b += 1, row.ns_b += mean_of(b_.pattern.positions[place_b].ns, b_);
  }

  void answer_times(const Shared& shared) {
    const Asked& asked = asked_[&shared];
    const OpVerdict whole = time_verdict(asked.whole);
    const bool told_apart =
        std::any_of(asked.places.begin(), asked.places.end(),
                    [](const Test& test) { return time_verdict(test) != OpVerdict::same; });
    for (size_t i = 0; i < shared.matched.size(); ++i) {
      const OpVerdict verdict = told_apart ? time_verdict(asked.places[i]) : whole;
      add(row(verdict, shared.op_a, shared.op_b), shared.matched[i].a, shared.matched[i].b,
          told_apart ? asked.places[i].chance : asked.whole.chance);
    }
    for (size_t i = 0; i < shared.moved(); ++i) {
      add(row(told_apart ? OpVerdict::same : whole, shared.op_a, shared.op_b), shared.only_a[i],
          shared.only_b[i], asked.whole.chance);
    }
  }

  // The surplus of a key counts only where the runs as a whole launch it more often.
  bool surplus_holds(const Shared& shared) {
    const Test& test = asked_[&shared].surplus;
    const double places =
        static_cast<double>(shared.only_b.size()) - static_cast<double>(shared.only_a.size());
    return test.significant && test.change * places > 0 && std::fabs(test.change) >= 0.5;
  }
  bool is_surplus(const Shared& shared, uint32_t place, bool of_a) {
    const std::vector<uint32_t>& only = of_a ? shared.only_a : shared.only_b;
    const auto at = static_cast<size_t>(std::find(only.begin(), only.end(), place) - only.begin());
    return at >= shared.moved() && surplus_holds(shared);
  }

  // What went and what came between the same neighbours, of the same category, took each other's
  // place.
  void pair_replacements() {
    std::vector<uint32_t> gone, come;
    const auto close_hole = [&] {
      for (const uint32_t place_a : gone) {
        const uint32_t op_a = a_.pattern.positions[place_a].op;
        const auto heir = std::find_if(come.begin(), come.end(), [&](uint32_t place_b) {
          return b_.pattern.ops[b_.pattern.positions[place_b].op].category ==
                 a_.pattern.ops[op_a].category;
        });
        if (heir == come.end()) {
          removed_.push_back(place_a);
          continue;
        }
        const uint32_t op_b = b_.pattern.positions[*heir].op;
        const double chance = std::max(surplus_chance(a_.pattern.ops[op_a].key),
                                       surplus_chance(b_.pattern.ops[op_b].key));
        add(row(OpVerdict::replaced, op_a, op_b), place_a, *heir, chance);
        come.erase(heir);
      }
      added_.insert(added_.end(), come.begin(), come.end());
      gone.clear();
      come.clear();
    };
    for (const Aligned& pair : pairs_) {
      if (pair.a != kNone && pair.b != kNone) {
        close_hole();
      } else if (pair.a != kNone) {
        if (is_surplus(by_key_[a_.pattern.ops[a_.pattern.positions[pair.a].op].key], pair.a, true))
          gone.push_back(pair.a);
      } else if (is_surplus(by_key_[b_.pattern.ops[b_.pattern.positions[pair.b].op].key], pair.b,
                            false)) {
        come.push_back(pair.b);
      }
    }
    close_hole();
  }
  double surplus_chance(const std::string& key) { return asked_[&by_key_[key]].surplus.chance; }

  void answer_surplus() {
    for (const uint32_t place : removed_) {
      const uint32_t op = a_.pattern.positions[place].op;
      add(row(OpVerdict::removed, op, kNone), place, kNone, surplus_chance(a_.pattern.ops[op].key));
    }
    for (const uint32_t place : added_) {
      const uint32_t op = b_.pattern.positions[place].op;
      add(row(OpVerdict::added, kNone, op), kNone, place, surplus_chance(b_.pattern.ops[op].key));
    }
  }

  std::vector<OpChange> sorted() {
    std::vector<OpChange> result;
    for (auto& [key, row] : rows_) result.push_back(std::move(row));
    std::stable_sort(result.begin(), result.end(), [](const OpChange& x, const OpChange& y) {
      const bool x_same = x.verdict == OpVerdict::same, y_same = y.verdict == OpVerdict::same;
      if (x_same != y_same) return y_same;
      const double x_ns = x_same ? x.ns_a : std::fabs(x.change_ns()),
                   y_ns = y_same ? y.ns_a : std::fabs(y.change_ns());
      return x_ns > y_ns;
    });
    return result;
  }

  const RunProfile &a_, &b_;
  std::vector<Aligned> pairs_;
  std::map<std::string, Shared> by_key_;
  std::unordered_map<const Shared*, Asked> asked_;
  std::vector<uint32_t> removed_, added_;
  std::map<std::tuple<OpVerdict, uint32_t, uint32_t>, OpChange> rows_;
};

}  // namespace

const char* verdict_name(OpVerdict verdict) {
  switch (verdict) {
    case OpVerdict::slower: return "slower";
    case OpVerdict::faster: return "faster";
    case OpVerdict::added: return "added";
    case OpVerdict::removed: return "removed";
    case OpVerdict::replaced: return "replaced";
    case OpVerdict::same: break;
  }
  return "same";
}

std::vector<OpChange> op_changes(const RunProfile& a, const RunProfile& b) {
  if (a.pattern.ops.empty() || b.pattern.ops.empty()) return {};  // no iterations, or no GPU
  return Matcher(a, b).run();
}

}  // namespace deepprof
