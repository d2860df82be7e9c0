#include "analysis/model/name_table.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>

#include "test/support/catch.h"

using namespace deepprof;

namespace {

bool g_memory_is_full = false;

}  // namespace

// Not inlined: where GCC 12 at -O2 inlines one of the two alone, it takes malloc() and operator
// delete, or operator new and free(), for a mismatched pair.
[[gnu::noinline]] void* operator new(size_t bytes) {
  void* const memory = g_memory_is_full ? nullptr : std::malloc(std::max<size_t>(1, bytes));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
[[gnu::noinline]] void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return g_memory_is_full ? nullptr : std::malloc(std::max<size_t>(1, bytes));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept { std::free(memory); }

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

TEST_CASE("a table whose memory ran out once gives out ids of names that are there") {
  NameTable names;
  const std::string large(200'000, 'x');
  g_memory_is_full = true;
  bool told = false;
  try {
    names.intern(large);
  } catch (const std::bad_alloc&) { told = true; }
  g_memory_is_full = false;
  CHECK(told);
  CHECK(names.size() == 1);
  CHECK(names[names.intern(large)] == large);
  CHECK(names[names.intern("a")] == "a");
  CHECK(names.size() == 3);
}
