// Nsight Systems' SQLite, as written by `nsys export --type sqlite`: only the tables and columns
// that the importer reads, made here.
#include <sqlite3.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "analysis/device/memory_use.h"
#include "analysis/import/load.h"
#include "analysis/model/launches.h"
#include "libdeepprof/event/allocation_events.h"
#include "libdeepprof/trace/allocation_ledger.h"
#include "test/support/catch.h"

using namespace deepprof;

namespace {

constexpr const char* kTables = R"sql(
CREATE TABLE StringIds (id INTEGER, value TEXT);
INSERT INTO StringIds VALUES (1, 'void gemm<float>(int)'), (2, 'gemm'), (3, 'cudaLaunchKernel_v7000');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
  streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphNodeId INTEGER, demangledName INTEGER,
  shortName INTEGER, registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER,
  blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
  (1000, 1500, 1, 1, 7, 10, 16777216, NULL, 1, 2, 32, 108, 2, 1, 128, 1, 1, 1024, 512),
  (2000, 2500, 1, 1, 7, 11, 16777216, NULL, 1, 2, 100000, -1, 2, 1, 128, 1, 1, 1024, 512);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
  streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphNodeId INTEGER, bytes INTEGER,
  copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES
  (3000, 3100, 1, 1, 7, 12, 16777216, NULL, 8, 1, 1, 2), (3200, 3300, 1, 1, 7, 13, 16777216, NULL, 5000000000, 2, 2, 0);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER,
  correlationId INTEGER, nameId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (900, 950, 16777217, 10, 3);
)sql";

// With the columns, in the order and with the constraints, that Nsight Systems' export documents
// (2024.6, schema 3.16): ENUM_CUDA_MEM_KIND 1 pinned, 2 device, 4 managed;
// ENUM_CUDA_DEV_MEM_EVENT_OPER 0 allocation, 1 deallocation; ENUM_CUDA_MEMPOOL_OPER 1 created,
// 2 destroyed, 3 trimmed; ENUM_CUDA_MEMPOOL_TYPE 1 local, 2 imported.
constexpr const char* kMemoryTable = R"sql(
CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER NOT NULL, globalPid INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, address INTEGER NOT NULL, pc INTEGER NOT NULL,
  bytes INTEGER NOT NULL, memKind INTEGER NOT NULL, memoryOperationType INTEGER NOT NULL, name TEXT,
  correlationId INTEGER, streamId INTEGER, localMemoryPoolAddress INTEGER,
  localMemoryPoolReleaseThreshold INTEGER, localMemoryPoolSize INTEGER,
  localMemoryPoolUtilizedSize INTEGER, importedMemoryPoolAddress INTEGER,
  importedMemoryPoolProcessId INTEGER);
CREATE TABLE CUDA_GPU_MEMORY_POOL_EVENTS (start INTEGER NOT NULL, globalPid INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, address INTEGER NOT NULL, operationType INTEGER NOT NULL,
  poolType INTEGER NOT NULL, correlationId INTEGER, minBytesToKeep INTEGER,
  localMemoryPoolReleaseThreshold INTEGER, localMemoryPoolSize INTEGER,
  localMemoryPoolUtilizedSize INTEGER);
)sql";

// What each row below names.
const std::string kMemoryRows =
    "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, deviceId, contextId, address, pc, "
    "bytes, memKind, memoryOperationType, name, correlationId, localMemoryPoolAddress, "
    "localMemoryPoolReleaseThreshold, localMemoryPoolSize, localMemoryPoolUtilizedSize) VALUES ";

Trace load_tables(const char* sql) {
  char folder[] = "/tmp/deepprof-nsys-XXXXXX";
  REQUIRE(::mkdtemp(folder) != nullptr);
  const std::string path = std::string(folder) + "/trace.sqlite";
  sqlite3* file = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &file) == SQLITE_OK);
  CHECK(sqlite3_exec(file, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(file);
  auto trace = load_trace(path);
  ::unlink(path.c_str());
  ::rmdir(folder);
  REQUIRE(trace.ok());
  return std::move(*trace);
}

}  // namespace

TEST_CASE("a compressed export is unpacked into memory") {
  char folder[] = "/tmp/deepprof-nsys-XXXXXX";
  REQUIRE(::mkdtemp(folder) != nullptr);
  const std::string path = std::string(folder) + "/trace.sqlite", packed = path + ".gz";
  sqlite3* file = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &file) == SQLITE_OK);
  // Left in the mode of a log beside the file, as some profilers do.
  CHECK(sqlite3_exec(file, "PRAGMA journal_mode=WAL", nullptr, nullptr, nullptr) == SQLITE_OK);
  CHECK(sqlite3_exec(file, kTables, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(file);
  REQUIRE(std::system(("gzip '" + path + "'").c_str()) == 0);
  const auto trace = load_trace(packed);
  ::unlink(packed.c_str());
  ::rmdir(folder);
  INFO(trace.status().message());
  REQUIRE(trace.ok());
  CHECK(trace->ops.size() == 4);
}

TEST_CASE(
    "kernels and copies of an Nsight Systems file keep their names, sizes, launches and grids") {
  const Trace trace = load_tables(kTables);
  REQUIRE(trace.ops.size() == 4);
  const Op& kernel = trace.ops[0];
  CHECK(trace.names[kernel.name] == "void gemm<float>(int)");
  CHECK(kernel.start_ns == 1000);
  CHECK(kernel.duration_ns == 500);
  CHECK(kernel.device == 1);
  REQUIRE(kernel.launch != kNone);
  CHECK(trace.names[trace.calls[kernel.launch].name] == "cudaLaunchKernel");
  CHECK(trace.details[kernel.detail].grid_x == 108);
  CHECK(trace.details[kernel.detail].shared_bytes == 1536);
  const Detail& upload = trace.details[trace.ops[2].detail];
  CHECK(upload.bytes == 8);
  CHECK(upload.copy_kind == CopyKind::host_to_device);
  CHECK(upload.source == MemoryKind::pinned);
  CHECK(trace.details[trace.ops[3].detail].bytes == 5'000'000'000);
}

TEST_CASE("memory usage of an Nsight Systems file becomes allocations, by kind, pool and process") {
  const Trace trace = load_tables((std::string(kTables) + kMemoryTable + kMemoryRows + R"sql(
  (1100, 16777216, 1, 1, 4096, 0, 1000, 2, 0, NULL, 10, NULL, NULL, NULL, NULL),
  (1200, 16777216, 1, 1, 8192, 0, 70, 1, 0, NULL, 11, NULL, NULL, NULL, NULL),
  (1300, 16777216, 1, 1, 4096, 0, 1000, 2, 1, NULL, 12, NULL, NULL, NULL, NULL),
  (1400, 16777216, 1, 1, 9999, 0, 300, 2, 0, NULL, 13, 77, 0, 33554432, 300),
  (1450, 33554432, 1, 1, 9999, 0, 5, 2, 0, NULL, 13, NULL, NULL, NULL, NULL),
  (0, 16777216, 1, 1, 5555, 0, 300, 2, 0, NULL, 14, NULL, NULL, NULL, NULL),
  (1500, 16777216, 1, 1, 5555, 0, 300, 2, 9, NULL, 14, NULL, NULL, NULL, NULL);
)sql")
                                      .c_str());
  CHECK(trace.losses[Loss::import_skipped] == 2);  // no time, an operation that does not exist
  const auto totals =
      *AllocationLedger::decode(trace.blobs.at(std::string(AllocationLedger::kBlobKey)));
  REQUIRE(totals.size() == 4);
  const AllocationTotals& device = totals.at({1, AllocationKind::device});
  CHECK(device.allocations == 2);
  CHECK(device.releases == 1);
  CHECK(device.peak_bytes == 1000);
  CHECK(device.in_use_bytes == 5);
  CHECK(totals.at({Allocation::kHost, AllocationKind::pinned}).in_use_bytes == 70);
  CHECK(totals.at({1, AllocationKind::pool}).in_use_bytes == 300);
  CHECK(totals.at({1, AllocationKind::pool_reserved}).in_use_bytes == 33554432);
  CHECK(trace.allocations.front().correlation == 10);
}

TEST_CASE(
    "memory of more bytes than there are is skipped and counted, such a pool's size left out") {
  const std::string most = std::to_string(kMostAllocation_bytes),
                    more = std::to_string(kMostAllocation_bytes + 1);
  const Trace trace = load_tables(
      (std::string(kTables) + kMemoryTable + kMemoryRows + "(1100, 16777216, 1, 1, 4096, 0, " +
       most + ", 2, 0, NULL, 10, NULL, NULL, NULL, NULL)," + "(1200, 16777216, 1, 1, 8192, 0, " +
       more + ", 2, 0, NULL, 11, NULL, NULL, NULL, NULL)," +
       "(1300, 16777216, 1, 1, 9999, 0, 9223372036854775807, 2, 0, NULL, 12, NULL, NULL, NULL, " +
       "NULL), (1400, 16777216, 1, 1, 7777, 0, 300, 2, 0, NULL, 13, 77, 0, " + more + ", 300);")
          .c_str());
  CHECK(trace.losses[Loss::import_skipped] == 2);
  const auto totals =
      *AllocationLedger::decode(trace.blobs.at(std::string(AllocationLedger::kBlobKey)));
  CHECK(totals.at({1, AllocationKind::device}).in_use_bytes == kMostAllocation_bytes);
  CHECK(totals.at({1, AllocationKind::pool}).in_use_bytes == 300);
  CHECK_FALSE(totals.contains({1, AllocationKind::pool_reserved}));
}

TEST_CASE("releases of pool memory that do not name the pool are counted once") {
  std::string rows;
  for (int i = 0; i < 10; ++i) {
    const std::string address = ", 16777216, 1, 1, " + std::to_string(4096 * (i + 1));
    rows += (i > 0 ? ",(" : "(") + std::to_string(1100 + i) + address +
            ", 0, 100, 2, 0, NULL, 10, 77, 0, 4000, 100),(" + std::to_string(1200 + i) + address +
            ", 0, 100, 2, 1, NULL, 11, NULL, NULL, NULL, NULL)";
  }
  const Trace trace =
      load_tables((std::string(kTables) + kMemoryTable + kMemoryRows + rows + ";").c_str());
  const MemoryIndex memory(trace);
  const AllocationTotals& pool = memory.totals().at({1, AllocationKind::pool});
  CHECK(pool.allocations == 10);
  CHECK(pool.releases == 10);
  CHECK(pool.peak_bytes == 1000);
  CHECK_FALSE(memory.totals().contains({1, AllocationKind::device}));
}

TEST_CASE("memory of further processes without an address adds up, and addresses stay theirs") {
  const Trace trace = load_tables((std::string(kTables) + kMemoryTable + kMemoryRows + R"sql(
  (1100, 33554432, 1, 1, 0, 0, 100, 2, 0, NULL, 10, NULL, NULL, NULL, NULL),
  (1200, 33554432, 1, 1, 0, 0, 100, 2, 0, NULL, 11, NULL, NULL, NULL, NULL),
  (1300, 33554432, 1, 1, 4096, 0, 100, 2, 0, NULL, 12, NULL, NULL, NULL, NULL),
  (1400, 16777216, 1, 1, 4096, 0, 100, 2, 0, NULL, 13, NULL, NULL, NULL, NULL);
)sql")
                                      .c_str());
  const AllocationTotals device = MemoryIndex(trace).totals().at({1, AllocationKind::device});
  CHECK(device.in_use_bytes == 400);
  CHECK(device.releases == 0);
  REQUIRE(trace.allocations.size() == 4);
  CHECK(trace.allocations[0].address == 0);
  CHECK(trace.allocations[2].address == 4096);
  CHECK(trace.allocations[3].address == 4096);
  REQUIRE(device.largest_at_peak.size() == 2);
  for (const LiveAllocation& live : device.largest_at_peak) CHECK(live.address == 4096);
}

TEST_CASE("a pool that is trimmed or destroyed is as large as its own events say") {
  const Trace trace = load_tables((std::string(kTables) + kMemoryTable + kMemoryRows + R"sql(
  (1100, 16777216, 1, 1, 4096, 0, 300, 2, 0, NULL, 10, 77, 0, 4000, 300),
  (1200, 16777216, 1, 1, 4096, 0, 300, 2, 1, NULL, 11, 77, 0, 4000, 0),
  (1250, 16777216, 1, 1, 8192, 0, 500, 2, 0, NULL, 12, 88, 0, 9000, 500);
INSERT INTO CUDA_GPU_MEMORY_POOL_EVENTS VALUES
  (1050, 16777216, 1, 77, 1, 1, 9, NULL, 0, 1000, 0),
  (1300, 16777216, 1, 77, 3, 1, 13, 0, 0, 2000, 0),
  (1400, 16777216, 1, 88, 2, 1, 14, NULL, NULL, NULL, NULL),
  (1500, 16777216, 1, 99, 1, 2, 15, NULL, 0, 70000, 0);
)sql")
                                      .c_str());
  const MemoryIndex memory(trace);
  const AllocationTotals& reserved = memory.totals().at({1, AllocationKind::pool_reserved});
  CHECK(reserved.peak_bytes == 13000);  // both pools; that of another process is not
  CHECK(reserved.in_use_bytes == 2000);
  const auto use = memory.in({1, AllocationKind::pool_reserved}, {1000, 1100});
  REQUIRE(use);
  CHECK(use->most_bytes == 1000);
  const AllocationTotals& pool = memory.totals().at({1, AllocationKind::pool});
  CHECK(pool.allocations == 2);
  CHECK(pool.in_use_bytes == 500);
  CHECK(trace.losses[Loss::import_skipped] == 0);
}

TEST_CASE("memory out of another process' pool is of a pool, not the device's own") {
  const Trace trace = load_tables((std::string(kTables) + kMemoryTable + R"sql(
INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES
  (1100, 16777216, 1, 1, 4096, 0, 300, 2, 0, NULL, 10, 7, NULL, NULL, NULL, NULL, 1234, 99);
)sql")
                                      .c_str());
  const MemoryIndex memory(trace);
  CHECK(memory.totals().at({1, AllocationKind::pool}).in_use_bytes == 300);
  CHECK(memory.totals().size() == 1);
}

TEST_CASE("numbers of an Nsight Systems file that no field can hold are brought into its range") {
  const Trace trace = load_tables(kTables);
  const Detail& detail = trace.details[trace.ops[1].detail];
  CHECK(detail.registers == UINT16_MAX);
  CHECK(detail.grid_x == 0);
}

TEST_CASE("a graph launch that is traced as a whole is one op, launched by its call") {
  const Trace trace = load_tables((std::string(kTables) + R"sql(
INSERT INTO StringIds VALUES (4, 'cudaGraphLaunch_v10000');
CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
  greenContextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER,
  graphExecId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES
  (5000, 9000, 1, 1, NULL, 7, 20, 16777216, 4, 5), (9100, 9900, 2147483647, 1, NULL, 7, 21, 16777216, 4, 6);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (4800, 4900, 16777217, 20, 4);
)sql")
                                      .c_str());
  REQUIRE(trace.ops.size() == 5);
  const Op& graph = trace.ops.back();
  CHECK(graph.kind == Kind::graph);
  CHECK(trace.names[graph.name] == "CUDA graph 5");
  CHECK(graph.start_ns == 5000);
  CHECK(graph.duration_ns == 4000);
  CHECK(graph.device == 1);
  CHECK(graph.stream == 7);
  REQUIRE(graph.launch != kNone);
  CHECK(trace.names[trace.calls[graph.launch].name] == "cudaGraphLaunch");
  CHECK(trace.losses[Loss::import_skipped] == 1);  // begins on the host, which is no device
}

TEST_CASE("display adapters, which stand under the number of a GPU, are no devices") {
  const Trace trace = load_tables((std::string(kTables) + R"sql(
CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, smCount INTEGER, totalMemory INTEGER, cuDevice INTEGER,
  computeMajor INTEGER, computeMinor INTEGER, threadsPerWarp INTEGER, maxWarpsPerSm INTEGER);
INSERT INTO TARGET_INFO_GPU VALUES (1, 'Graphics adapter', 0, 0, 1, 0, 0, 0, 0),
  (0, 'Laptop GPU', 76, 17170956288, 1, 8, 9, 32, 48), (2, 'Render driver', 0, 0, 1, 0, 0, 0, 0),
  (3, 'Laptop GPU again', 70, 1, 1, 8, 9, 32, 48);
)sql")
                                      .c_str());
  REQUIRE(trace.devices.size() == 1);
  CHECK(trace.devices[0].id == 1);
  CHECK(trace.devices[0].name == "Laptop GPU");
  CHECK(trace.devices[0].sm_count == 76);
  CHECK(trace.devices[0].max_threads_per_sm == 32 * 48);
}

TEST_CASE("devices of an export of 2020 are those that CUDA tells, each once") {
  const Trace trace = load_tables((std::string(kTables) + R"sql(
CREATE TABLE TARGET_INFO_CUDA_GPU (name TEXT, globalMemorySize INTEGER, numThreadsPerWarp INTEGER,
  numMultiprocessors INTEGER, maxWarpsPerMultiprocessor INTEGER, computeCapabilityMajor INTEGER,
  computeCapabilityMinor INTEGER, deviceId INTEGER, pid INTEGER);
INSERT INTO TARGET_INFO_CUDA_GPU VALUES ('Quadro', 48601, 32, 72, 32, 7, 5, 0, 10),
  ('Quadro', 48601, 32, 72, 32, 7, 5, 0, 11), ('Quadro', 51049005056, 32, 72, 32, 7, 5, 2, 11);
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, deviceId INTEGER, name TEXT, busLocation TEXT, isDiscrete INTEGER);
INSERT INTO TARGET_INFO_GPU VALUES (1, 1, 'Quadro', '0000:2D:00.0', 1), (1, 0, 'Quadro', '0000:15:00.0', 1);
)sql")
                                      .c_str());
  REQUIRE(trace.devices.size() == 3);
  CHECK(trace.devices[0].id == 0);
  CHECK(trace.devices[0].memory_bytes == 48601ULL << 20);
  CHECK(trace.devices[1].memory_bytes == 51049005056);
  CHECK(trace.devices[0].sm_count == 72);
  CHECK(trace.devices[0].compute_minor == 5);
  CHECK(trace.devices[2].id == 1);
}

TEST_CASE("a kernel of seconds stays beside pages that move meanwhile, and another process' ops") {
  const Trace trace = load_tables((std::string(kTables) + R"sql(
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid)
  VALUES (5000, 3000000000, 1, 1, 7, 20, 16777216), (6000, 6100, 1, 1, 7, 20, 33554432);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (5500, 5600, 1, 1, 7, 0, 16777216, NULL, 65536, 11, NULL, NULL);
)sql")
                                      .c_str());
  CHECK(trace.ops.size() == 7);
  CHECK(trace.losses[Loss::bad_timestamp] == 0);
}

TEST_CASE("pages of managed memory that move by themselves are told from copies") {
  const Trace trace = load_tables((std::string(kTables) + R"sql(
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES
  (4000, 4100, 1, 1, 7, 0, 16777216, NULL, 65536, 11, NULL, NULL),
  (4200, 4300, 1, 1, 7, 0, 16777216, NULL, 65536, 12, NULL, NULL),
  (4400, 4500, 1, 1, 7, 0, 16777216, NULL, 65536, 13, NULL, NULL);
)sql")
                                      .c_str());
  REQUIRE(trace.ops.size() == 7);
  const CopyKind kinds[] = {CopyKind::host_to_device, CopyKind::device_to_host,
                            CopyKind::device_to_device};
  for (size_t i = 0; i < 3; ++i) {
    const Op& op = trace.ops[4 + i];
    CHECK(trace.details[op.detail].copy_kind == kinds[i]);
    CHECK(trace.details[op.detail].source == MemoryKind::managed);
    CHECK(trace.details[op.detail].destination == MemoryKind::managed);
    CHECK_FALSE(lacks_launch(trace, op));
  }
  CHECK(lacks_launch(trace, trace.ops[2]));
}

TEST_CASE("an export of a job that made no CUDA call is a trace without ops") {
  const Trace trace = load_tables(R"sql(
CREATE TABLE StringIds (id INTEGER, value TEXT);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, text TEXT, textId INTEGER, globalTid INTEGER);
INSERT INTO NVTX_EVENTS VALUES (100, 200, 'load', NULL, 16777217);
)sql");
  CHECK(trace.ops.empty());
  REQUIRE(trace.ranges.size() == 1);
  CHECK(trace.names[trace.ranges[0].name] == "load");
}
