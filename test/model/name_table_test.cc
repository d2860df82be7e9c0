#include "analysis/model/name_table.h"

#include <string>

#include "test/support/catch.h"

using namespace deepprof;

TEST_CASE("a name has one id, ids are dense, and views stay where they are as the table grows") {
  NameTable names;
  CHECK(names.size() == 1);
  CHECK(names.intern("") == 0);
  const NameId first = names.intern("first");
  const std::string_view view = names[first];
  constexpr NameId kNames = 100'000;
  for (NameId i = 0; i < kNames; ++i) REQUIRE(names.intern("kernel_" + std::to_string(i)) == i + 2);
  for (NameId i = 0; i < kNames; ++i) REQUIRE(names.intern("kernel_" + std::to_string(i)) == i + 2);
  CHECK(names.size() == kNames + 2);
  CHECK(names[first].data() == view.data());
  CHECK(names[kNames + 1] == "kernel_" + std::to_string(kNames - 1));
  CHECK(names[kNames + 2] == "?");
}

TEST_CASE("names longer than a block, and with zeros in them, are kept whole") {
  NameTable names;
  const std::string large(200'000, 'x'), with_zero("a\0b", 3);
  const NameId id = names.intern(large), zero = names.intern(with_zero), after = names.intern("a");
  CHECK(names[id] == large);
  CHECK(names[zero] == with_zero);
  CHECK(names[after] == "a");
  CHECK(names[after].data()[1] == 0);
  CHECK(names.intern(large) == id);
}

TEST_CASE("a table that is moved takes its names and its ids along") {
  NameTable names;
  const NameId id = names.intern("a");
  const char* const where = names[id].data();
  NameTable moved = std::move(names);
  CHECK(moved[id].data() == where);
  CHECK(moved.intern("a") == id);
  names.intern("not in the moved one");  // NOLINT(bugprone-use-after-move): it is left empty
  CHECK(moved.intern("b") == id + 1);
  CHECK(moved[id + 1] == "b");
}
