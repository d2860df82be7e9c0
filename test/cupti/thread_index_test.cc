#include "libdeepprof/cupti/thread_index.h"

#include "test/support/catch.h"

namespace deepprof::cupti {
namespace {

// What was published of threads since the last call.
std::vector<ThreadDefinition> published(DefinitionLog& log) {
  std::vector<ThreadDefinition> threads;
  for (const Definition& definition : log.take()) {
    if (const auto* thread = std::get_if<ThreadDefinition>(&definition)) threads.push_back(*thread);
  }
  return threads;
}

uint32_t own_pthread() { return static_cast<uint32_t>(::pthread_self()); }
uint32_t own_number() { return static_cast<uint32_t>(::syscall(SYS_gettid)); }

}  // namespace

TEST_CASE("a thread that has asked for a buffer is published by the kernel's number") {
  DefinitionLog log;
  ThreadNumbers numbers;
  ThreadIndex index(log, numbers);
  numbers.note_caller();
  CHECK(index.index_of(7, own_pthread()) == 0);
  const auto threads = published(log);
  REQUIRE(threads.size() == 1);
  CHECK(threads[0].pid == 7);
  CHECK(threads[0].tid == own_number());
}

TEST_CASE("a thread that asks only later keeps its index and gets its number then, once") {
  DefinitionLog log;
  ThreadNumbers numbers;
  ThreadIndex index(log, numbers);
  index.index_of(7, 1);  // never asks
  CHECK(index.index_of(7, own_pthread()) == 1);
  auto threads = published(log);
  REQUIRE(threads.size() == 2);
  CHECK(threads[0].tid == 1);
  CHECK(threads[1].tid == own_pthread());

  index.begin_buffer();
  CHECK(published(log).empty());
  numbers.note_caller();
  index.begin_buffer();
  threads = published(log);
  REQUIRE(threads.size() == 1);
  CHECK(threads[0].index == 1);
  CHECK(threads[0].tid == own_number());
  index.begin_buffer();
  CHECK(published(log).empty());
}

TEST_CASE("more threads than the table holds keep the numbers that CUPTI gave") {
  ThreadNumbers numbers;
  constexpr uint32_t kFirst = 1'000;
  for (uint32_t i = 0; i < ThreadNumbers::kMost + 2; ++i) numbers.note(kFirst + i, 7 + i);
  CHECK(numbers.of(kFirst) == 7);
  CHECK(numbers.of(kFirst + ThreadNumbers::kMost - 1) == 7 + ThreadNumbers::kMost - 1);
  CHECK(numbers.of(kFirst + ThreadNumbers::kMost) == 0);
  numbers.note(kFirst, 5);  // a later thread, whose pthread_self() is the same
  CHECK(numbers.of(kFirst) == 5);
}

}  // namespace deepprof::cupti
