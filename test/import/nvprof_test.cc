// nvprof's SQLite file and its printed CSV: the columns that are read, made here.
#include <sqlite3.h>

#include "analysis/import/cupti_call_names.h"
#include "analysis/import/load.h"
#include "libdeepprof/event/api_calls.h"
#include "test/import/temporary_file.h"
#include "test/support/catch.h"

using namespace deepprof;
using deepprof::test::TemporaryFile;

namespace {

constexpr const char* kTables = R"sql(
CREATE TABLE StringTable (_id_ INTEGER PRIMARY KEY, value TEXT);
INSERT INTO StringTable VALUES (1, '_Z4gemmPfi'), (2, 'Tesla V100'), (3, 'epoch');
CREATE TABLE CUPTI_ACTIVITY_KIND_DEVICE (id INT, name INT, numMultiprocessors INT, globalMemorySize INT,
  computeCapabilityMajor INT, computeCapabilityMinor INT, maxWarpsPerMultiprocessor INT, numThreadsPerWarp INT);
INSERT INTO CUPTI_ACTIVITY_KIND_DEVICE VALUES (0, 2, 80, 16000000000, 7, 0, 64, 32);
CREATE TABLE CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL (start INT, end INT, deviceId INT, contextId INT, streamId INT,
  correlationId INT, name INT, registersPerThread INT, gridX INT, gridY INT, gridZ INT, blockX INT, blockY INT,
  blockZ INT, staticSharedMemory INT, dynamicSharedMemory INT);
INSERT INTO CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL VALUES
  (1000, 1500, 0, 1, 7, 10, 1, 32, 108, 2, 1, 128, 1, 1, 1024, 512),
  (0, 0, 0, 1, 7, 11, 1, 32, 108, 2, 1, 128, 1, 1, 1024, 512);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INT, end INT, deviceId INT, contextId INT, streamId INT,
  correlationId INT, bytes INT, copyKind INT, srcKind INT, dstKind INT);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (2000, 2100, 0, 1, 7, 12, 4096, 1, 2, 3);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INT, end INT, processId INT, threadId INT, correlationId INT, cbid INT);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (900, 950, 77, 78, 10, 211), (1900, 1950, 77, 78, 12, 99999);
CREATE TABLE CUPTI_ACTIVITY_KIND_MARKER (flags INT, timestamp INT, id INT, objectKind INT, objectId BLOB, name INT);
INSERT INTO CUPTI_ACTIVITY_KIND_MARKER VALUES (2, 800, 5, 2, X'4D0000004E00000000000000', 3),
  (4, 2500, 5, 2, X'4D0000004E00000000000000', 0), (2, 2600, 6, 2, X'4D0000004E00000000000000', 3);
)sql";

constexpr const char* kCsv =
    "==77== NVPROF is profiling process 77, command: python train.py\n"
    "==77== Profiling result:\n"
    "\"Start\",\"Duration\",\"Grid X\",\"Grid Y\",\"Grid Z\",\"Block X\",\"Block Y\",\"Block Z\","
    "\"Registers Per Thread\",\"Static SMem\",\"Dynamic "
    "SMem\",\"Size\",\"Throughput\",\"SrcMemType\","
    "\"DstMemType\",\"Device\",\"Context\",\"Stream\",\"Name\"\n"
    "ms,us,,,,,,,,KB,B,MB,GB/s,,,,,,\n"
    "0.001000,1.536000,,,,,,,,,,1.500000,0.077610,\"Pinned\",\"Device\",\"Tesla V100 "
    "(1)\",\"1\",\"22\","
    "\"[CUDA memcpy HtoD]\"\n"
    "0.004000,2.000000,108,2,1,128,1,1,32,1.000000,512,,,,,\"Tesla V100 (1)\",\"1\",\"7\","
    "\"void \"\"quoted\"\", name(int) [123]\"\n"
    "0.003000,0.500000,,,,,,,,,,,,,,,,,\"cudaLaunchKernel [123]\"\n"
    "nonsense\n";

}  // namespace

TEST_CASE("nvprof's SQLite file gives ops, calls by name, devices and NVTX ranges") {
  const TemporaryFile path("");
  sqlite3* file = nullptr;
  REQUIRE(sqlite3_open(path.path().c_str(), &file) == SQLITE_OK);
  REQUIRE(sqlite3_exec(file, kTables, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(file);
  auto trace = load_trace(path.path());
  REQUIRE(trace.ok());
  CHECK(trace->process.source == "nvprof");
  REQUIRE(trace->ops.size() == 2);
  CHECK(trace->names[trace->ops[0].name] == "_Z4gemmPfi");
  CHECK(trace->details[trace->ops[0].detail].shared_bytes == 1536);
  REQUIRE(trace->ops[0].launch != kNone);
  CHECK(trace->names[trace->calls[trace->ops[0].launch].name] == "cudaLaunchKernel");
  CHECK(trace->names[trace->calls[1].name] == "runtime call 99999");
  CHECK(trace->details[trace->ops[1].detail].copy_kind == CopyKind::host_to_device);
  CHECK(trace->details[trace->ops[1].detail].source == MemoryKind::pinned);
  REQUIRE(trace->devices.size() == 1);
  CHECK(trace->devices[0].name == "Tesla V100");
  REQUIRE(trace->ranges.size() == 1);
  CHECK(trace->ranges[0].duration_ns == 1700);
  CHECK(trace->ranges[0].thread == trace->calls[0].thread);
  CHECK(trace->losses[Loss::import_skipped] == 1);  // the record whose times were lost
}

TEST_CASE(
    "nvprof's CSV gives ops to the nanosecond, sizes in its units, and calls where they were "
    "printed") {
  const TemporaryFile file(kCsv);
  auto trace = load_trace(file.path());
  REQUIRE(trace.ok());
  REQUIRE(trace->ops.size() == 2);
  CHECK(trace->ops[0].kind == Kind::memcpy);
  CHECK(trace->ops[0].start_ns == 1000);
  CHECK(trace->ops[0].duration_ns == 1536);
  CHECK(trace->ops[0].device == 1);
  CHECK(trace->ops[0].stream == 22);
  CHECK(trace->names[trace->ops[0].name] == "Memcpy HtoD");
  CHECK(trace->details[trace->ops[0].detail].bytes == 3 * 512 * 1024);
  CHECK(trace->names[trace->ops[1].name] == "void \"quoted\", name(int)");
  CHECK(trace->ops[1].correlation == 123);
  CHECK(trace->details[trace->ops[1].detail].shared_bytes == 1536);
  REQUIRE(trace->ops[1].launch != kNone);
  CHECK(trace->losses[Loss::import_skipped] == 1);  // the line of nonsense
}

TEST_CASE("nvprof's CSV without units of time is refused with the line") {
  const TemporaryFile file("\"Start\",\"Duration\",\"Name\"\nyears,ms,\n1,1,\"a\"\n");
  const auto trace = load_trace(file.path());
  REQUIRE_FALSE(trace.ok());
  CHECK(std::string(trace.status().message()).find("line 2") != std::string::npos);
}

TEST_CASE("a line without end in nvprof's CSV is refused in bounded memory") {
  const TemporaryFile file("\"Start\",\"Duration\",\"Name\"\nms,ms,\n" +
                           std::string(size_t{8} << 20, '1'));
  const auto trace = load_trace(file.path());
  REQUIRE_FALSE(trace.ok());
  CHECK(std::string(trace.status().message()).find("line 3: a line is longer than") !=
        std::string::npos);
}

TEST_CASE("every call that has a role is named alike by the table of all calls") {
  // Those that came anew in CUDA 12 and 13 beside an older form have a "_v2" or "__".
  const auto without_form = [](std::string_view of) {
    std::string name(of.substr(of.starts_with("__") ? 2 : 0));
    for (size_t at; (at = name.find("_v")) != std::string::npos;)
      name.erase(at, name.find_first_not_of("0123456789", at + 2) - at);
    return name;
  };
  for (const bool runtime : {true, false}) {
    for (const ApiCall& call : runtime ? runtime_calls() : driver_calls())
      CHECK(without_form(cupti_call_name(runtime, call.cbid)) == without_form(call.name));
  }
  CHECK(cupti_call_name(true, 4) == "cudaGetDeviceProperties");
  CHECK(cupti_call_name(true, 155) == "cudaDeviceEnablePeerAccess");
  CHECK(cupti_call_name(true, 198) == "cudaStreamCreateWithFlags");
  CHECK(cupti_call_name(false, 9) == "cuDeviceGetAttribute");
  for (const int64_t unknown : {int64_t{0}, int64_t{-1}, int64_t{99'999}, INT64_MAX})
    CHECK(cupti_call_name(true, unknown).empty());
}
