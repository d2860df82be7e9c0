#include "analysis/import/json_stream.h"

#include <algorithm>
#include <cstring>

#include "test/support/catch.h"

using namespace deepprof;

namespace {

// Hands out a few bytes at a time but for the first read, so that borders fall everywhere.
class MemorySource final : public ByteStream {
 public:
  explicit MemorySource(std::string text) : text_(std::move(text)) {}
  absl::StatusOr<size_t> read(char* to, size_t size) override {
    const size_t got = std::min(size, text_.size() - at_);
    std::memcpy(to, text_.data() + at_, got);
    at_ += got;
    return got;
  }
  double progress() const override { return 1; }

 private:
  std::string text_;
  size_t at_ = 0;
};

std::string event(size_t number, size_t filling) {
  return "{\"n\":" + std::to_string(number) + ",\"x\":\"" + std::string(filling, '}') + "\"}";
}

}  // namespace

TEST_CASE("members are met in order and values come out whole") {
  MemorySource source(R"( {"a" : 1 , "b":"x\"}", "c":{"d":[1,{}]}, "e":[ ] , "f":null})");
  JsonStream stream(source, "test.json");
  REQUIRE(stream.open().value() == JsonStream::Root::object);
  CHECK(stream.next_key().value() == "a");
  CHECK(stream.take_value(100).value() == "1");
  CHECK(stream.next_key().value() == "b");
  CHECK(stream.take_value(100).value() == R"("x\"}")");
  CHECK(stream.next_key().value() == "c");
  CHECK(stream.take_value(100).value() == R"({"d":[1,{}]})");
  CHECK(stream.next_key().value() == "e");
  REQUIRE(stream.enter_array().ok());
  CHECK(stream.next_elements().value().size == 0);
  CHECK(stream.next_key().value() == "f");
  CHECK(stream.take_value(100).value() == "null");
  CHECK_FALSE(stream.next_key().value().has_value());
}

TEST_CASE(
    "an array larger than the window comes in runs of whole elements, none lost, none twice") {
  std::string text = "{\"traceEvents\":[", expected;
  for (size_t i = 0; i < 20'000; ++i) {
    const std::string element = event(i, i % 1'000);
    text += (i == 0 ? "" : i % 3 == 0 ? ", \n" : ",") + element;
    expected += element;
  }
  text += "\n], \"after\": 7}";
  MemorySource source(text);
  JsonStream stream(source, "test.json");
  REQUIRE(stream.open().ok());
  REQUIRE(stream.next_key().value() == "traceEvents");
  REQUIRE(stream.enter_array().ok());
  std::string got;
  size_t runs = 0;
  for (;;) {
    const auto run = stream.next_elements();
    REQUIRE(run.ok());
    if (run->size == 0) break;
    ++runs;
    CHECK(run->data[0] == '[');
    CHECK(run->data[run->size - 1] == ']');
    CHECK(text.compare(run->offset, 5, "{\"n\":") == 0);
    got.append(run->data + 1, run->size - 2);
  }
  got.erase(std::remove_if(got.begin(), got.end(), [](char c) { return c == ' ' || c == '\n'; }),
            got.end());
  std::string without_commas;
  for (size_t at = 0; at < got.size(); ++at) {
    if (got[at] == ',' && got[at - 1] == '}' && got[at + 1] == '{') continue;
    without_commas += got[at];
  }
  // Runs end behind an element, so the comma between two runs belongs to neither.
  CHECK(without_commas == expected);
  CHECK(runs > 5);
  CHECK(stream.next_key().value() == "after");
  CHECK(stream.take_value(10).value() == "7");
}

TEST_CASE("a single element larger than the window is still whole") {
  const std::string big = event(1, 5 << 20);
  MemorySource source("[" + big + "," + event(2, 3) + "]");
  JsonStream stream(source, "test.json");
  REQUIRE(stream.open().value() == JsonStream::Root::array);
  std::string got;
  for (auto run = stream.next_elements(); run.value().size != 0; run = stream.next_elements()) {
    got.append(run->data + 1, run->size - 2);
  }
  CHECK(got.size() >= big.size() + event(2, 3).size());
  CHECK(got.compare(0, big.size(), big) == 0);
}

TEST_CASE("errors name the file and the offset in the text") {
  MemorySource source(R"({"traceEvents":[{"a":1},{"b":)");
  JsonStream stream(source, "cut.json");
  REQUIRE(stream.open().ok());
  REQUIRE(stream.next_key().ok());
  REQUIRE(stream.enter_array().ok());
  REQUIRE(stream.next_elements().value().size == 9);
  const auto cut = stream.next_elements();
  REQUIRE_FALSE(cut.ok());
  CHECK(std::string(cut.status().message()) ==
        "cut.json: the text ends inside an event, expected ']' behind the last one (truncated?); "
        "it begins "
        "at byte 24 of the JSON text");
}
