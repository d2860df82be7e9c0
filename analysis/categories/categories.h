// Kernel categories: what a kernel is for, read from its name by an ordered table of patterns
// (first match wins; docs/metrics.md). A user file can put rules of its own in front.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/categories/pattern_set.h"
#include "analysis/model/trace.h"
#include "libdeepprof/result.h"

namespace deepprof {

// Index into Categories::names(). The two that analysis itself knows:
using CategoryId = uint8_t;
inline constexpr CategoryId kCommunication = 0;
inline constexpr CategoryId kOptimizer = 1;

class Categories {
 public:
  Categories();  // the built-in rules

  // Rules of a user file, tried before the built-in ones and in their order. A line is a category
  // (one of the built-in names or a new word), blanks, and a pattern (pattern_set.h) that is
  // searched in the lower-cased name; # starts a comment. An error names `file` and the line, and
  // no rule is added.
  Status add_user_rules(std::string_view text, std::string_view file);
  // The same from a file; an unreadable file is an error.
  Status add_user_file(const std::string& path);

  struct Match {
    CategoryId category = 0;
    std::string_view pattern;  // the rule's alternative that matched; empty: none did ("other")
    bool user_rule = false;
  };
  // Which rule a kernel's raw (mangled or not) name falls under.
  Match match(std::string_view raw_name);

  const std::vector<std::string>& names() const { return names_; }
  CategoryId other() const { return other_; }
  CategoryId graph_launch() const { return graph_launch_; }  // of a whole graph that is one op

  // The text that the patterns are searched in: demangled, lower-cased, without the argument list
  // and without the words that contain a pattern but do not mean it (LoadWithCast, fbgemm::).
  static std::string subject(std::string_view raw_name);

 private:
  struct Rule {
    CategoryId category;
    std::string pattern;
  };
  CategoryId category_named(std::string_view name);
  void compile();

  std::vector<std::string> names_;
  CategoryId graph_launch_ = 0, other_ = 0;
  std::vector<Rule> user_rules_, built_in_;
  PatternSet patterns_;  // user rules first, one pattern for each alternative
};

// Category of every name that a kernel of the trace carries, indexed by NameId; each distinct name
// is looked at once. Names of graphs are `graph launch`, those of other things `other`.
std::vector<CategoryId> categorise(const Trace& trace, Categories& categories);

}  // namespace deepprof
