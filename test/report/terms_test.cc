#include "analysis/report/terms/terms.h"

#include <set>
#include <string>
#include <vector>

#include "analysis/breakdown/account.h"
#include "analysis/categories/categories.h"
#include "analysis/findings/findings.h"
#include "analysis/findings/slow.h"
#include "analysis/gaps/gaps.h"
#include "analysis/iterations/mined.h"
#include "test/support/catch.h"

using namespace deepprof;

TEST_CASE("a term is found by its name, an alias, or a part, whatever the case") {
  CHECK(std::string(find_term("kernel wait")->name) == "kernel wait");
  CHECK(std::string(find_term("kernel_wait")->name) == "kernel wait");
  CHECK(std::string(find_term("Utilization")->name) == "kernels running");
  CHECK(std::string(find_term("GPU IDLE")->name) == "GPU idle");
  CHECK(std::string(find_term("step")->name) == "iteration");
  CHECK(std::string(find_term("why")->name) == "why the GPU was idle");
  CHECK(find_term("no such thing") == nullptr);
  CHECK(find_term("") == nullptr);
}

TEST_CASE("every term has a name of its own and a definition") {
  std::set<std::string> names;
  for (const Term& term : terms()) {
    INFO(term.name);
    CHECK(names.insert(term.name).second);
    CHECK(std::string(term.definition).size() > 20);
    CHECK(find_term(term.name) == &term);
    CHECK(explain(term, 80).find(term.name) == 0);
  }
}

TEST_CASE("every finding has a term under its key") {
  for (size_t kind = 0; kind < kFindingKinds; ++kind) {
    const char* key = finding_key(static_cast<FindingKind>(kind));
    INFO(key);
    CHECK(find_exact_term(key) != nullptr);
  }
}

TEST_CASE("a column's name finds its term with its unit and without") {
  REQUIRE(find_exact_term("idle_ns") != nullptr);
  CHECK(find_exact_term("idle_ns") == find_exact_term("GPU idle"));
  CHECK(find_exact_term("idl") == nullptr);
  CHECK(find_term("communicat") != nullptr);
}

TEST_CASE("a part finds a term where a word begins with it, never across two of its names") {
  CHECK(find_term("it") == nullptr);
  CHECK(find_term("gpuidlew") == nullptr);
  CHECK(find_term("ilization") == nullptr);
  REQUIRE(find_term("of it") != nullptr);
  CHECK(std::string(find_term("of it")->name) == "of it");
}

TEST_CASE("every word that a report takes from a list of them has a term") {
  std::vector<std::string> words{"starts agree", "launching call", "other call", "largest pieces"};
  for (size_t i = 0; i < kCauses; ++i) {
    words.emplace_back(cause_info(static_cast<Cause>(i)).words);
    words.emplace_back(cause_info(static_cast<Cause>(i)).key);
  }
  for (size_t i = 0; i < kParts; ++i) words.emplace_back(part_name(i));
  for (int i = 0; i <= static_cast<int>(SectionKind::irregular); ++i)
    words.emplace_back(section_name(static_cast<SectionKind>(i)));
  for (const Verdict verdict : {Verdict::iteration, Verdict::repeating_block})
    words.emplace_back(verdict_name(verdict));
  for (size_t i = 0; i < kActivities; ++i)
    words.emplace_back(activity_name(static_cast<Activity>(i)));
  const Categories categories;
  words.insert(words.end(), categories.names().begin(), categories.names().end());
  for (const AllocationKind kind :
       {AllocationKind::device, AllocationKind::managed, AllocationKind::pinned,
        AllocationKind::pool, AllocationKind::pool_reserved})
    words.emplace_back(allocation_kind_name(kind));
  for (const std::string& word : words) {
    INFO(word);
    CHECK(find_exact_term(word) != nullptr);
  }
}

TEST_CASE("every cause of idle time is explained under its own words and its key") {
  for (const char* cause : {"host_outside", "host launch-bound", "host_blocked", "dependency_wait",
                            "kernel wait", "graph_replay", "profiler overhead", "unattributed"}) {
    INFO(cause);
    REQUIRE(find_term(cause) != nullptr);
  }
}
