#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "analysis/import/load.h"
#include "test/import/temporary_file.h"
#include "test/support/catch.h"

using namespace deepprof;
using deepprof::test::TemporaryFile;

namespace {

// The error of loading a file, with its path written FILE.
std::string error_of_file(const std::string& path) {
  const auto trace = load_trace(path);
  if (trace.ok()) return "loaded";
  std::string message(trace.status().message());
  const size_t at = message.find(path);
  if (at != std::string::npos) message.replace(at, path.size(), "FILE");
  return message;
}
std::string error_of(std::string_view content) {
  const TemporaryFile file(content);
  return error_of_file(file.path());
}

// The first bytes of any gzip file.
constexpr unsigned char kGzip[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03};

// Two gzip members, each with a file name in its header: an array of one kernel, and its closing
// bracket.
constexpr unsigned char kFirstMember[] = {
    0x1f, 0x8b, 0x08, 0x08, 0x00, 0x00, 0x00, 0x00, 0x02, 0xff, 0x70, 0x61, 0x72, 0x74, 0x2e,
    0x6a, 0x73, 0x6f, 0x6e, 0x00, 0x1d, 0x8a, 0x41, 0x0a, 0x80, 0x20, 0x14, 0x44, 0xef, 0x32,
    0x6b, 0x89, 0x5a, 0x48, 0xe0, 0x49, 0x82, 0x56, 0x1f, 0xfd, 0x94, 0x94, 0x22, 0x6a, 0x6d,
    0xc4, 0xbb, 0xf7, 0x6d, 0xf5, 0xde, 0x1b, 0x66, 0x6f, 0x48, 0x27, 0x0c, 0x36, 0x28, 0x58,
    0xaa, 0x62, 0x17, 0xe7, 0xc8, 0xb7, 0x64, 0xa4, 0xc0, 0xa3, 0x45, 0x93, 0x77, 0x30, 0xb3,
    0x42, 0x1d, 0x5c, 0x85, 0x05, 0x46, 0x4f, 0x5a, 0xc1, 0x3d, 0x19, 0x66, 0x51, 0xa0, 0x7c,
    0xc8, 0xd4, 0xe0, 0xf8, 0xf5, 0x96, 0xff, 0x6f, 0xa9, 0x99, 0x29, 0xc8, 0xbd, 0xf7, 0x0f,
    0x7d, 0x31, 0x8c, 0x36, 0x65, 0x00, 0x00, 0x00,
};
constexpr unsigned char kSecondMember[] = {
    0x1f, 0x8b, 0x08, 0x08, 0x00, 0x00, 0x00, 0x00, 0x02, 0xff, 0x70, 0x61, 0x72, 0x74, 0x2e, 0x6a,
    0x73, 0x6f, 0x6e, 0x00, 0x8b, 0x05, 0x00, 0xc4, 0xc2, 0xd8, 0xc7, 0x01, 0x00, 0x00, 0x00,
};

template <size_t N>
std::string text_of(const unsigned char (&bytes)[N]) {
  return {reinterpret_cast<const char*>(bytes), N};
}

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

TEST_CASE("what follows the end of a trace is an error, but for blanks and zeros") {
  const std::string trace =
      R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"a","ts":5,"dur":2,"pid":0,"args":{"device":0}}]})";
  CHECK(error_of(trace + " \n") == "loaded");
  CHECK(error_of(trace + std::string(70, '\0')) == "loaded");
  for (const std::string& more : {trace, std::string("]"), std::string(", nonsense")}) {
    CHECK(
        error_of(trace + "\n" + more) ==
        "FILE: more follows the end of the trace, expected one JSON document; it begins at byte " +
            std::to_string(trace.size() + 1) + " of the JSON text");
  }
  CHECK(error_of(trace + std::string(3 << 20, ' ') + trace) != "loaded");
}

TEST_CASE("empty and foreign files say what was expected") {
  CHECK(error_of("") == "FILE is empty (0 bytes): expected a trace");
  const std::string foreign = error_of("hello, world\n");
  CHECK(foreign.find("FILE begins with \"hello, world\\n\" at byte 0: expected one of ") == 0);
  CHECK(foreign.find("Kineto JSON") != std::string::npos);
  CHECK(error_of(std::string(100'000, '\0')).find("FILE begins with \"\\x00") == 0);
}

TEST_CASE("what deepprof wrote for others is told, and which file to give instead") {
  for (const char* content : {"{\"table\":\"kernels\",\"columns\":[]}", "[{\"table\":\"ranks\"}]",
                              "deepprof  trace of Kineto  pid 3\n", "deepprof 1.0  rank 0/8\n"}) {
    const std::string error = error_of(content);
    INFO(error);
    CHECK(error.find("FILE is what `deepprof ") == 0);
    CHECK(error.find("give the trace that it was made from") != std::string::npos);
  }
}

TEST_CASE("JSON that is no trace says what is missing, and where it ends") {
  CHECK(error_of("{}") ==
        "FILE: no \"traceEvents\" member: expected a Chrome trace; the text ends at byte 2 of the "
        "JSON text");
  CHECK(error_of("{\"traceEvents\":[]}")
            .find("FILE: no GPU op, API call, operator or step of memory among its") == 0);
  CHECK(error_of("[]").find("FILE: no GPU op, API call, operator or step of memory among its") ==
        0);
  CHECK(error_of("{\"traceEvents\":7}") ==
        "FILE: expected '[' of an array at byte 15 of the JSON text");
  CHECK(error_of("{traceEvents:[]}") ==
        "FILE: expected a member's name in quotes at byte 1 of the JSON text");
  CHECK(error_of("{\"a\"").find("truncated?") != std::string::npos);
}

TEST_CASE("timelines of other tools are told to be that, and what to record with") {
  const auto says = [](const std::string& json, const char* words) {
    const std::string error = error_of(json);
    INFO(error);
    CHECK(error.find(words) != std::string::npos);
  };
  says(
      R"([{"name":"aten::mm","ph":"X","ts":1.5,"dur":2,"tid":0,"pid":"CUDA functions","args":{}}])",
      "FILE is of torch.autograd.profiler before PyTorch 1.8");
  says(
      R"({"traceEvents":[{},{"args":{"name":"CPU HIP API"},"ph":"M","pid":2,"name":"process_name"}]})",
      "FILE is a timeline of AMD's rocprof or rpd");
  says(
      R"([{"ph":"X","name":"aten::mm","pid":7,"tid":7,"ts":"1.5","dur":2,"cat":"cpu_op","args":{}},)"
      R"({"name":"process_name","pid":8,"tid":0,"args":{"name":"Ascend Hardware"},"ph":"M"}])",
      "FILE is a trace of Ascend NPUs");
  says(
      R"([{"ph":"X","name":"mm","pid":7,"tid":7,"ts":1.5,"dur":2,"cat":"mtia_ccp_events","args":{}}])",
      "FILE: no GPU op; there are events of another accelerator (1 of mtia_ccp_events)");
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
  const std::string head = text_of(kGzip);
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

TEST_CASE("concatenated gzip members are one text, padding behind them is none") {
  const std::string whole = text_of(kFirstMember) + text_of(kSecondMember);
  for (const std::string& content : {whole, whole + std::string(100, '\0')}) {
    const TemporaryFile file(content);
    const auto trace = load_trace(file.path());
    REQUIRE(trace.ok());
    REQUIRE(trace->ops.size() == 1);
    CHECK(trace->ops[0].start_ns == 5500);
  }
}

TEST_CASE("gzip cut at any byte is an error that says so, never a shorter trace") {
  const std::string whole = text_of(kFirstMember) + text_of(kSecondMember);
  for (size_t size = 1; size < whole.size(); ++size) {
    CAPTURE(size);
    const std::string error = error_of(whole.substr(0, size));
    CHECK(error.find("FILE") == 0);
  }
}

TEST_CASE("a pipe is refused at once, whether somebody writes into it or not") {
  char folder[] = "/tmp/deepprof-pipe-XXXXXX";
  REQUIRE(::mkdtemp(folder) != nullptr);
  const std::string path = std::string(folder) + "/pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const auto trace = load_trace(path);
  REQUIRE_FALSE(trace.ok());
  CHECK(std::string(trace.status().message()).find("is a pipe: a trace is read more than once") !=
        std::string::npos);
  ::unlink(path.c_str());
  ::rmdir(folder);
}

TEST_CASE("files of other tools are told what they are, and what to give instead") {
  const auto says = [](std::string_view content, const char* words) {
    INFO(words);
    CHECK(error_of(content).find(words) != std::string::npos);
  };
  says("NVIDIA Tegra Profiler Report 1.\n\x0b", "nsys export --type sqlite");
  says(std::string_view("NVR\0\x00\x01", 6), "Nsight Compute");
  says("PK\x03\x04\x14", "unpack it");
  says(
      "\xFD"
      "7zXZ",
      "xz");
  says("BZh91AY", "bzip2");
  says("\"Kind\",\"Agent_Id\",\"Queue_Id\"\n", "rocprofv3");
  says("==PROF== Connected to process 77\n", "Nsight Compute");
  says("==77== NVPROF is profiling process 77, command: a\n==77== Profiling result:\n   Start  Dur",
       "--csv");
  says("<?xml version=\"1.0\"?>\n<session version=\"1\" name=\"a\">", "Visual Profiler");
  says(std::string(257, 'a') + "ustar", "archive");
  says("<?xml version=\"1.0\"?><html>", "expected one of");
}

TEST_CASE("a SQLite file that was cut is said to be, with where it ends and should") {
  const TemporaryFile file("");
  sqlite3* database = nullptr;
  REQUIRE(sqlite3_open(file.path().c_str(), &database) == SQLITE_OK);
  REQUIRE(sqlite3_exec(database,
                       "PRAGMA page_size = 512; CREATE TABLE StringIds (id INTEGER, value TEXT);"
                       "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500) "
                       "INSERT INTO StringIds SELECT i, 'some text' FROM n;",
                       nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(database);
  CHECK(error_of_file(file.path()).find("without tables") != std::string::npos);
  const auto whole = std::filesystem::file_size(file.path());
  std::filesystem::resize_file(file.path(), whole / 2);
  const std::string error = error_of_file(file.path());
  INFO(error);
  CHECK(error.find("ends at byte " + std::to_string(whole / 2)) != std::string::npos);
  CHECK(error.find("says " + std::to_string(whole)) != std::string::npos);
}
