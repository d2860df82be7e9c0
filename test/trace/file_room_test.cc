#include "libdeepprof/trace/file_room.h"

#include "libdeepprof/trace/chunk.h"
#include "test/support/catch.h"

using namespace deepprof;

TEST_CASE("room is taken at the end until the ceiling") {
  FileRoom room(16, 1000);
  CHECK(room.take(500)->offset == 16);
  CHECK(room.take(484)->offset == 516);
  CHECK_FALSE(room.take(1));
  CHECK(room.take_beyond_ceiling(10).offset == 1000);
  CHECK(room.end() == 1010);
}

TEST_CASE("room that was given back is used before the end") {
  FileRoom room(16, 0);
  const uint64_t first = room.take(200)->offset;
  room.take(200);
  room.give_back({first, 200});
  const auto place = room.take(100);
  CHECK(place->offset == first);
  CHECK(place->left_over == 100);
  CHECK(room.take(100)->left_over == 0);
  CHECK(room.end() == 416);
}

TEST_CASE("a rest too small for a free header is never left") {
  FileRoom room(16, 0);
  const uint64_t first = room.take(200)->offset;
  room.give_back({first, 200});
  CHECK(room.take(200 - kChunkHeaderBytes + 1)->offset == 216);
  CHECK(room.take(200 - kChunkHeaderBytes)->offset == first);
}

TEST_CASE("neighbours that are given back join") {
  FileRoom room(16, 0);
  for (int i = 0; i < 4; ++i) room.take(100);
  CHECK(room.give_back({16, 100}) == Extent{16, 100});
  CHECK(room.give_back({216, 100}) == Extent{216, 100});
  CHECK(room.give_back({116, 100}) == Extent{16, 300});
  CHECK(room.take(300)->offset == 16);
}
