#include <filesystem>

#include "analysis/import/load.h"
#include "test/import/temporary_file.h"
#include "test/support/catch.h"

using namespace deepprof;
using deepprof::test::TemporaryFile;

namespace {

// The error of loading a file of this content, with its path written FILE.
std::string error_of(std::string_view content) {
  const TemporaryFile file(content);
  const auto trace = load_trace(file.path());
  if (trace.ok()) return "loaded";
  std::string message(trace.status().message());
  const size_t at = message.find(file.path());
  if (at != std::string::npos) message.replace(at, file.path().size(), "FILE");
  return message;
}

// `gzip -n` of {"traceEvents":[{"ph":"X"}]}.
constexpr unsigned char kGzip[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03};

}  // namespace

TEST_CASE("missing files and folders say what they are") {
  const auto missing = load_trace("/nonexistent/trace.json");
  REQUIRE_FALSE(missing.ok());
  CHECK(std::string(missing.status().message()) ==
        "cannot open /nonexistent/trace.json: No such file or directory");
  const auto folder = load_trace(std::filesystem::temp_directory_path().string());
  REQUIRE_FALSE(folder.ok());
  CHECK(std::string(folder.status().message()).find("is a folder: expected a trace file") !=
        std::string::npos);
}

TEST_CASE("empty and foreign files say what was expected") {
  CHECK(error_of("") == "FILE is empty (0 bytes): expected a trace");
  const std::string foreign = error_of("hello, world\n");
  CHECK(foreign.find("FILE begins with \"hello, world\\n\" at byte 0: expected one of ") == 0);
  CHECK(foreign.find("Kineto JSON") != std::string::npos);
  CHECK(error_of(std::string(100'000, '\0')).find("FILE begins with \"\\x00") == 0);
}

TEST_CASE("JSON that is no trace says what is missing, and where it ends") {
  CHECK(error_of("{}") ==
        "FILE: no \"traceEvents\" member: expected a Chrome trace; the text ends at byte 2 of the "
        "JSON text");
  CHECK(error_of("{\"traceEvents\":[]}")
            .find("FILE: no GPU op, API call or operator among its trace events") == 0);
  CHECK(error_of("[]").find("FILE: no GPU op, API call or operator among its trace events") == 0);
  CHECK(error_of("{\"traceEvents\":7}") ==
        "FILE: expected '[' of an array at byte 15 of the JSON text");
  CHECK(error_of("{traceEvents:[]}") ==
        "FILE: expected a member's name in quotes at byte 1 of the JSON text");
  CHECK(error_of("{\"a\"").find("truncated?") != std::string::npos);
}

TEST_CASE("text cut inside the events says at which event") {
  CHECK(error_of("{\"traceEvents\":[{\"ph\":\"X\",").find("FILE: the text ends inside an event") ==
        0);
  CHECK(error_of("{\"traceEvents\":[{\"ph\":\"X\"}")
            .find("FILE: the text ends too early (truncated?)") == 0);
  const std::string malformed = error_of("{\"traceEvents\":[{\"ph\" \"X\"}]}");
  CHECK(malformed.find("FILE: malformed JSON in an event behind byte 16 of the JSON text") == 0);
}

TEST_CASE("damaged and truncated gzip says at which byte") {
  const std::string head(reinterpret_cast<const char*>(kGzip), sizeof(kGzip));
  CHECK(error_of(head).find(
            "FILE: the file ends before the gzip end marker (truncated?) at byte 10 of 10") == 0);
  CHECK(error_of(head + std::string(50, '\xff'))
            .find("FILE: the compressed data is damaged at byte ") == 0);
}

TEST_CASE("text that never ends in an event or nests without end is refused without harm") {
  CHECK(error_of("{\"traceEvents\":[" + std::string(3'000'000, '[')).find("truncated?") !=
        std::string::npos);
  CHECK(error_of(std::string(3'000'000, '[')).find("truncated?") != std::string::npos);
  CHECK(error_of("{\"traceEvents\":[" + std::string(100'000, '[') + std::string(100'000, ']') +
                 "]}") != "loaded");
}
