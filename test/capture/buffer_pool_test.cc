#include "libdeepprof/capture/buffer_pool.h"

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

#include "test/support/catch.h"

namespace deepprof {

TEST_CASE("the pool gives out each buffer once and then none") {
  BufferPool pool(3, 3);
  std::set<uint8_t*> buffers;
  for (int i = 0; i < 3; ++i) buffers.insert(pool.take());
  CHECK(buffers.size() == 3);
  CHECK(buffers.count(nullptr) == 0);
  CHECK(pool.take() == nullptr);
  CHECK(pool.held_by_cupti() == 3);
}

TEST_CASE("returned buffers come to the collector in the order of their return") {
  BufferPool pool(4, 4);
  std::vector<uint8_t*> buffers;
  for (int i = 0; i < 4; ++i) buffers.push_back(pool.take());
  for (size_t i = 0; i < 4; ++i) REQUIRE(pool.put_full(buffers[i], 100 + i));
  for (size_t i = 0; i < 4; ++i) {
    const BufferPool::Full full = pool.take_full();
    CHECK(full.bytes == buffers[i]);
    CHECK(full.valid_bytes == 100 + i);
  }
  CHECK(pool.take_full().bytes == nullptr);
  CHECK(pool.held_by_cupti() == 0);
}

TEST_CASE("a recycled buffer is zeroed where CUPTI was promised zeroes") {
  BufferPool pool(1, 1);
  uint8_t* buffer = pool.take();
  std::fill(buffer, buffer + 5000, uint8_t{7});
  pool.put_full(buffer, 5000);
  pool.recycle(pool.take_full(), true);
  REQUIRE(pool.take() == buffer);
  CHECK(std::all_of(buffer, buffer + BufferPool::kBufferBytes,
                    [](uint8_t byte) { return byte == 0; }));
}

TEST_CASE("a buffer that is not ours is not taken in") {
  BufferPool pool(1, 1);
  uint8_t foreign[8] = {};
  CHECK_FALSE(pool.put_full(foreign, 8));
  CHECK(pool.take_full().bytes == nullptr);
}

TEST_CASE("all buffers can be had at once, and touching the rest of them leaves what is in them") {
  BufferPool pool(8, 8);
  std::vector<uint8_t*> taken;
  while (uint8_t* buffer = pool.take()) taken.push_back(buffer);
  REQUIRE(taken.size() == 8);
  for (uint8_t* buffer : taken) buffer[4096] = 7;
  pool.touch_rest();
  for (const uint8_t* buffer : taken) {
    CHECK(buffer[4096] == 7);
    CHECK(buffer[BufferPool::kBufferBytes - 1] == 0);
  }
}

TEST_CASE(
    "buffers that were written off are replaced, and nothing comes of it when they are returned "
    "after all") {
  BufferPool pool(2, 2);
  uint8_t* lost = pool.take();
  uint8_t* back = pool.take();
  REQUIRE(pool.put_full(back, 8));
  CHECK(pool.write_off_held() == 1);
  CHECK(pool.held_by_cupti() == 0);
  uint8_t* other = pool.take();
  REQUIRE(other != nullptr);
  CHECK(other != lost);
  CHECK_FALSE(pool.put_full(lost, 8));
  CHECK(pool.take_full().bytes == back);
  CHECK(pool.take_full().bytes == nullptr);
  REQUIRE(pool.put_full(other, 8));
  CHECK(pool.take_full().bytes == other);
}

TEST_CASE("a buffer that is returned twice is taken in once") {
  BufferPool pool(2, 2);
  uint8_t* buffer = pool.take();
  CHECK(pool.put_full(buffer, 8));
  CHECK_FALSE(pool.put_full(buffer, 8));
}

TEST_CASE("a claim of more valid bytes than the buffer has is cut to its size") {
  BufferPool pool(1, 1);
  pool.put_full(pool.take(), SIZE_MAX);
  CHECK(pool.take_full().valid_bytes == BufferPool::kBufferBytes);
}

TEST_CASE("the pool grows when few buffers are free, up to its limit") {
  BufferPool pool(8, 10);
  CHECK_FALSE(pool.runs_low());
  for (int i = 0; i < 6; ++i) pool.take();
  CHECK(pool.runs_low());
  pool.grow();
  CHECK(pool.mapped() == 10);
  while (pool.take() != nullptr) {}
  pool.grow();
  CHECK(pool.mapped() == 10);
}

TEST_CASE("many launching threads and one collector never share a buffer") {
  constexpr int kThreads = 4, kRounds = 20'000;
  BufferPool pool(8, 8);
  std::atomic<int> running{kThreads};
  std::atomic<uint64_t> handed_in{0}, clashes{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < kRounds; ++round) {
        uint8_t* buffer = pool.take();
        if (buffer == nullptr) continue;
        // Only the holder writes: a second holder would show as a changed mark, and to
        // ThreadSanitizer.
        buffer[0] = static_cast<uint8_t>(t);
        if (buffer[0] != t) ++clashes;
        pool.put_full(buffer, 1);
        ++handed_in;
      }
      --running;
    });
  }
  uint64_t collected = 0;
  const auto collect = [&] {
    for (BufferPool::Full full = pool.take_full(); full.bytes != nullptr; full = pool.take_full()) {
      ++collected;
      pool.recycle(full, true);
    }
  };
  while (running.load() > 0) collect();
  for (std::thread& thread : threads) thread.join();
  collect();
  CHECK(clashes == 0);
  CHECK(collected == handed_in);
  CHECK(collected > 0);
}

}  // namespace deepprof
