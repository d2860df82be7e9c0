#include "libdeepprof/capture/name_interner.h"

#include <string>

#include "test/support/catch.h"

namespace deepprof {

TEST_CASE("names get dense ids from 1, the same name the same id, the empty name 0") {
  DefinitionLog log;
  LossCounters losses;
  NameInterner names(log, losses, 1 << 20);
  CHECK(names.intern("") == 0);
  CHECK(names.intern("a") == 1);
  CHECK(names.intern("b") == 2);
  CHECK(names.intern("a") == 1);
  CHECK(std::string(names.text(2)) == "b");
  CHECK(log.take().size() == 2);
  CHECK(log.take().empty());
}

TEST_CASE("a hundred thousand names keep their ids while the table grows") {
  DefinitionLog log;
  LossCounters losses;
  NameInterner names(log, losses, 64 << 20);
  for (int round = 0; round < 2; ++round) {
    bool same = true;
    for (uint32_t i = 0; i < 100'000; ++i)
      same &= names.intern("kernel<" + std::to_string(i) + ">") == i + 1;
    CHECK(same);
  }
  CHECK(losses.snapshot()[Loss::name_table_full] == 0);
}

TEST_CASE("a name of a megabyte is kept whole") {
  DefinitionLog log;
  LossCounters losses;
  NameInterner names(log, losses, 4 << 20);
  const std::string longest(1 << 20, 'x');
  const NameId before = names.intern("before");
  const NameId id = names.intern(longest);
  CHECK(names.intern("after") == id + 1);
  CHECK(names.text(id) == longest);
  CHECK(std::string(names.text(before)) == "before");
}

TEST_CASE("the ceiling holds whatever the names are, and each refusal is counted") {
  DefinitionLog log;
  LossCounters losses;
  constexpr size_t kMost = 10'000;
  NameInterner names(log, losses, kMost);
  uint64_t refused = 0;
  for (int i = 0; i < 1'000; ++i) {
    const NameId id =
        names.intern(std::to_string(i) + std::string(static_cast<size_t>(i % 300), 'n'));
    refused += std::string(names.text(id)) == "(name table full)";
  }
  CHECK(refused > 0);
  CHECK(losses.snapshot()[Loss::name_table_full] == refused);
  CHECK(names.bytes() <= kMost + 100);
}

}  // namespace deepprof
