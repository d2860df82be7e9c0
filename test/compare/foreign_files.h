// A made-up job (made_up_job.h) as the files of other profilers hold it: what torch.profiler and
// Nsight Systems would have recorded of it. Test code only.
#pragma once

#include <sqlite3.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "analysis/model/trace.h"
#include "test/support/catch.h"

namespace deepprof::test {

inline std::string microseconds(int64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(ns / 1000),
                static_cast<long long>(ns % 1000));
  return text;
}

// Returns the path.
inline std::string write_kineto(const std::string& path, const Trace& trace,
                                const std::string& gpu) {
  std::ofstream file(path);
  file << R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":")" << gpu
       << R"(","numSms":108}],"traceEvents":[)";
  const char* between = "";
  for (const HostCall& call : trace.calls) {
    file << between << R"({"ph":"X","cat":"cuda_runtime","name":")" << trace.names[call.name]
         << R"(","pid":10,"tid":10,"ts":)" << microseconds(call.start_ns)
         << ",\"dur\":" << microseconds(call.duration_ns) << R"(,"args":{"correlation":)"
         << call.correlation << "}}";
    between = ",\n";
  }
  for (const Op& op : trace.ops) {
    const bool copies = op.kind == Kind::memcpy;
    const Detail& detail = trace.details[op.detail];
    std::string name(trace.names[op.name]);
    if (copies)
      name = detail.copy_kind == CopyKind::host_to_device ? "Memcpy HtoD (Pageable -> Device)"
                                                          : "Memcpy DtoH (Device -> Pageable)";
    file << between << R"({"ph":"X","cat":")" << (copies ? "gpu_memcpy" : "kernel")
         << R"(","name":")" << name << R"(","pid":0,"tid":)" << op.stream
         << ",\"ts\":" << microseconds(op.start_ns) << ",\"dur\":" << microseconds(op.duration_ns)
         << R"(,"args":{"device":0,"context":1,"stream":)" << op.stream
         << ",\"correlation\":" << op.correlation;
    if (copies) file << ",\"bytes\":" << detail.bytes;
    file << "}}";
  }
  file << "]}";
  return path;
}

// As Nsight Systems demangles: arguments of templates by their parameter, pointers with a blank.
inline std::string nsight_name(std::string name) {
  const std::string kineto = "(float*, ", nsight = "(T1 *, ";
  if (const size_t at = name.find(kineto); at != std::string::npos)
    name.replace(at, kineto.size(), nsight);
  return name;
}

// Returns the path.
inline std::string write_nsight(const std::string& path, const Trace& trace,
                                const std::string& gpu) {
  std::map<std::string, size_t> strings;
  const auto id_of = [&](const std::string& text) {
    return strings.try_emplace(text, strings.size() + 1).first->second;
  };
  std::ostringstream sql;
  sql << "BEGIN;"
         "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, "
         "contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
         "demangledName INTEGER, shortName INTEGER);"
         "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, "
         "contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, "
         "bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);"
         "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, "
         "correlationId INTEGER, nameId INTEGER);"
         "CREATE TABLE TARGET_INFO_GPU (id INTEGER, cuDevice INTEGER, name TEXT, smCount INTEGER);"
         "INSERT INTO TARGET_INFO_GPU VALUES (0, 0, '"
      << gpu << "', 132);";
  for (const HostCall& call : trace.calls)
    sql << "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" << call.start_ns << ','
        << call.end_ns() << ",16777217," << call.correlation << ','
        << id_of(std::string(trace.names[call.name]) + "_v7000") << ");";
  for (const Op& op : trace.ops) {
    const bool copies = op.kind == Kind::memcpy;
    const Detail& detail = trace.details[op.detail];
    sql << "INSERT INTO CUPTI_ACTIVITY_KIND_" << (copies ? "MEMCPY" : "KERNEL") << " VALUES ("
        << op.start_ns << ',' << op.end_ns() << ",0,1," << op.stream << ',' << op.correlation
        << ",16777216,";
    if (copies) {
      const bool upload = detail.copy_kind == CopyKind::host_to_device;
      sql << detail.bytes << (upload ? ",1,0,2);" : ",2,2,0);");
      continue;
    }
    const std::string name = nsight_name(std::string(trace.names[op.name]));
    const size_t from = name.find(' ') + 1;
    sql << id_of(name) << ',' << id_of(name.substr(from, name.find('<') - from)) << ");";
  }
  sql << "CREATE TABLE StringIds (id INTEGER, value TEXT);";
  for (const auto& [text, id] : strings)
    sql << "INSERT INTO StringIds VALUES (" << id << ",'" << text << "');";
  sql << "COMMIT;";
  std::filesystem::remove(path);
  sqlite3* file = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &file) == SQLITE_OK);
  CHECK(sqlite3_exec(file, sql.str().c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(file);
  return path;
}

}  // namespace deepprof::test
