#include <fstream>

#include "analysis/import/load.h"
#include "analysis/model/facts.h"
#include "analysis/model/incomplete.h"
#include "libdeepprof/trace/allocation_ledger.h"
#include "test/import/temporary_file.h"
#include "test/support/catch.h"

using namespace deepprof;
using deepprof::test::TemporaryFile;

namespace {

absl::StatusOr<Trace> load(const std::string& text) {
  const TemporaryFile file(text);
  return load_trace(file.path());
}

std::string with_events(const std::string& events) {
  return "{\"schemaVersion\":1,\"traceEvents\":[" + events + "]}";
}

constexpr const char* kKernel =
    R"json({"ph":"X","cat":"kernel","name":"gemm<\"q\">","pid":0,"tid":7,"ts":1365627867378.308,"dur":22.353,)json"
    R"json("args":{"External id":12,"device":3,"context":1,"stream":7,"correlation":16,"registers per thread":38,)json"
    R"json("shared memory":1024,"graph node id":9,"grid":[50,2,1],"block":[256,1,4]}})json";
constexpr const char* kLaunch =
    R"json({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":10,"tid":11,"ts":1365627867370.5,"dur":4,)json"
    R"json("args":{"cbid":211,"correlation":16}})json";

}  // namespace

TEST_CASE("a kernel keeps its times to the nanosecond and all that is known of it") {
  const auto trace = load(with_events(std::string(kLaunch) + "," + kKernel));
  REQUIRE(trace.ok());
  REQUIRE(trace->ops.size() == 1);
  const Op& op = trace->ops[0];
  CHECK(op.kind == Kind::kernel);
  CHECK(op.start_ns == 1365627867378308);
  CHECK(op.duration_ns == 22353);
  CHECK(trace->names[op.name] == "gemm<\"q\">");
  CHECK(op.device == 3);
  CHECK(op.stream == 7);
  CHECK(op.context == 1);
  CHECK(op.correlation == 16);
  CHECK(op.graph_node == 9);
  const Detail& detail = trace->details[op.detail];
  CHECK(detail.grid_x == 50);
  CHECK(detail.grid_y == 2);
  CHECK(detail.block_x == 256);
  CHECK(detail.block_z == 4);
  CHECK(detail.registers == 38);
  CHECK(detail.shared_bytes == 1024);
  REQUIRE(op.launch == 0);
  CHECK(trace->names[trace->calls[0].name] == "cudaLaunchKernel");
  CHECK(trace->threads[trace->calls[0].thread].tid == 11);
}

TEST_CASE("fields may come in any order, also arguments before the category") {
  const auto trace = load(with_events(
      R"json({"args":{"stream":5,"device":1,"bytes":4096,"correlation":2},"name":"Memcpy HtoD (Pageable -> Device)",)json"
      R"json("dur":1.5,"ts":100.25,"tid":5,"pid":1,"cat":"gpu_memcpy","ph":"X"})json"));
  REQUIRE(trace.ok());
  REQUIRE(trace->ops.size() == 1);
  CHECK(trace->ops[0].start_ns == 100250);
  CHECK(trace->ops[0].stream == 5);
  const Detail& detail = trace->details[trace->ops[0].detail];
  CHECK(detail.bytes == 4096);
  CHECK(detail.copy_kind == CopyKind::host_to_device);
  CHECK(detail.source == MemoryKind::pageable);
  CHECK(detail.destination == MemoryKind::device);
}

TEST_CASE("what was recorded of an accelerator that is not read is said where no GPU op is") {
  const std::string events =
      R"json({"ph":"X","cat":"cpu_op","name":"aten::mm","pid":5,"tid":"55","ts":4,"dur":6,"args":{}},)json"
      R"json({"ph":"X","cat":"mtia_runtime","name":"launch","pid":5,"tid":"55","ts":5,"dur":1,"args":{}},)json"
      R"json({"ph":"X","cat":"mtia_ccp_events","name":"mm","pid":0,"tid":1,"ts":6,"dur":3,"args":{}})json";
  const auto trace = load(with_events(events));
  REQUIRE(trace.ok());
  CHECK(trace->ranges.size() == 1);
  const std::string* unread = find_fact(*trace, kUnreadDevice);
  REQUIRE(unread != nullptr);
  CHECK(unread->find("1 of mtia_ccp_events, 1 of mtia_runtime") != std::string::npos);
  const auto with_gpu = load(with_events(events + "," + kLaunch + "," + kKernel));
  REQUIRE(with_gpu.ok());
  CHECK(find_fact(*with_gpu, kUnreadDevice) == nullptr);
}

TEST_CASE("a timeline of TensorFlow 1 without the rows of a GPU's streams says that they lack") {
  const auto timeline = [](const std::string& rows) {
    return load(
        R"json({"traceEvents":[{"ph":"M","name":"process_name","pid":1,"args":{"name":"/job:w/replica:0/task:0/device:GPU:0 Compute"}},)json" +
        rows +
        R"json({"ph":"X","cat":"Op","name":"MatMul","pid":1,"tid":0,"ts":10,"dur":5,"args":{"name":"a/MatMul"}}]})json");
  };
  const auto without = timeline("");
  REQUIRE(without.ok());
  CHECK(without->ops.empty());
  const std::string* unread = find_fact(*without, kUnreadDevice);
  REQUIRE(unread != nullptr);
  CHECK(unread->find("1 of the framework's ops are placed on a GPU") == 0);
  const auto with_stream = timeline(
      R"json({"ph":"M","name":"process_name","pid":2,"args":{"name":"/gpu:0/stream:12 Compute"}},)json"
      R"json({"ph":"X","cat":"Op","name":"MatMul","pid":2,"tid":0,"ts":11,"dur":3,"args":{"name":"a/MatMul"}},)json");
  REQUIRE(with_stream.ok());
  CHECK(with_stream->ops.size() == 1);
  CHECK(find_fact(*with_stream, kUnreadDevice) == nullptr);
}

TEST_CASE("the categories of 2021 mean the same") {
  const auto trace = load(
      R"json([{"ph":"X","cat":"Kernel","name":"k","pid":0,"tid":"stream 20","ts":10,"dur":2,"args":{"device":0,"correlation":1}},
          {"ph":"X","cat":"Memset","name":"Memset (Device)","pid":0,"tid":"stream 20","ts":13,"dur":1,"args":{"device":0,"bytes":8}},
          {"ph":"X","cat":"Runtime","name":"cudaLaunchKernel","pid":5,"tid":"55","ts":5,"dur":3,"args":{"correlation":1}},
          {"ph":"X","cat":"Operator","name":"aten::add","pid":5,"tid":"55","ts":4,"dur":6,"args":{}}])json");
  REQUIRE(trace.ok());
  REQUIRE(trace->ops.size() == 2);
  CHECK(trace->ops[0].stream == 20);
  CHECK(trace->ops[0].launch == 0);
  CHECK(trace->ops[1].kind == Kind::memset);
  REQUIRE(trace->ranges.size() == 1);
  CHECK(trace->ranges[0].source == RangeSource::framework_op);
  CHECK(trace->ranges[0].thread == trace->calls[0].thread);
}

TEST_CASE(
    "annotations, Python frames, waits and overhead are kept as evidence; arrows and GPU "
    "annotations are not ops") {
  const auto trace = load(with_events(
      R"json({"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":5,"tid":6,"ts":1,"dur":100},)json"
      R"json({"ph":"X","cat":"python_function","name":"train.py(3): main","pid":5,"tid":6,"ts":2,"dur":90,"args":{"Python id":1}},)json"
      R"json({"ph":"X","cat":"cuda_runtime","name":"cudaStreamSynchronize","pid":5,"tid":6,"ts":20,"dur":9,"args":{"correlation":4}},)json"
      R"json({"ph":"X","cat":"cuda_sync","name":"Stream Sync","pid":0,"tid":7,"ts":21,"dur":7,"args":{"cuda_sync_kind":"Stream Sync","stream":7,"correlation":4,"device":0}},)json"
      R"json({"ph":"X","cat":"overhead","name":"Buffer Flush","pid":-1,"tid":0,"ts":50,"dur":40.8},)json"
      R"json({"ph":"X","cat":"gpu_user_annotation","name":"ProfilerStep#1","pid":0,"tid":7,"ts":1,"dur":80,"args":{}},)json"
      R"json({"ph":"s","id":1,"pid":5,"tid":6,"ts":1,"cat":"ac2g","name":"ac2g"},)json"
      R"json({"ph":"M","name":"thread_name","pid":5,"tid":6,"ts":0,"args":{"name":"thread 6 (python)"}},)json"
      R"json({"ph":"M","name":"process_name","pid":5,"tid":0,"ts":0,"args":{"name":"python3"}})json"));
  REQUIRE(trace.ok());
  CHECK(trace->ops.empty());
  REQUIRE(trace->ranges.size() == 2);
  CHECK(trace->ranges[0].source == RangeSource::step);
  CHECK(trace->ranges[1].source == RangeSource::python);
  REQUIRE(trace->calls.size() == 2);
  CHECK(trace->calls[1].kind == Kind::sync);
  CHECK(trace->calls[1].stream == 7);
  CHECK(trace->calls[1].thread == trace->calls[0].thread);
  CHECK(trace->details[trace->calls[1].detail].sync_type == 3);
  REQUIRE(trace->overheads.size() == 1);
  CHECK(trace->overheads[0].duration_ns == 40800);
  CHECK(trace->threads[0].name == "thread 6 (python)");
  CHECK(trace->process.pid == 5);
  CHECK_FALSE(trace->losses.any(Severity::note));
}

TEST_CASE("devices, ranks, versions and the clock's base are read from around the events") {
  const auto trace = load(
      R"json({"deviceProperties":[{"id":0,"name":"NVIDIA H100","numSms":132,"totalGlobalMem":85018279936,"computeMajor":9,)json"
      R"json("computeMinor":0,"maxThreadsPerMultiprocessor":2048}],"distributedInfo":{"backend":"nccl","rank":3,"world_size":8},)json"
      R"json("cuda_driver_version":12090,"cupti_version":22,"stackFrames":{"1":{"name":"]}"}},"traceEvents":[)json" +
      std::string(kKernel) + R"json(],"baseTimeNanoseconds":1751410836000000000})json");
  REQUIRE(trace.ok());
  REQUIRE(trace->devices.size() == 1);
  CHECK(trace->devices[0].name == "NVIDIA H100");
  CHECK(trace->devices[0].sm_count == 132);
  CHECK(trace->devices[0].memory_bytes == 85018279936);
  CHECK(trace->process.rank == 3);
  CHECK(trace->process.world_size == 8);
  CHECK(trace->clock_base_ns == 1751410836000000000);
  CHECK(std::find(trace->process.facts.begin(), trace->process.facts.end(),
                  std::pair<std::string, std::string>("driver_version", "12.9")) !=
        trace->process.facts.end());
}

TEST_CASE("malformed UTF-8 and raw control characters in a name do not lose the event") {
  std::string text = with_events(std::string(kLaunch) + "," + kKernel);
  text.replace(text.find("gemm"), 4, "g\x9f\nm");
  const auto trace = load(text);
  REQUIRE(trace.ok());
  REQUIRE(trace->ops.size() == 1);
  CHECK(trace->names[trace->ops[0].name] == "g? m<\"q\">");
  CHECK(trace->calls.size() == 1);
}

TEST_CASE("events without usable fields are counted, not silently lost") {
  const auto trace = load(with_events(
      std::string(kKernel) +
      R"json(,{"ph":"X","cat":"kernel","name":"no times","pid":0,"tid":7,"args":{"device":0}},null,)json"
      R"json({"ph":"X","cat":"kernel","name":"zero","pid":0,"tid":7,"ts":0,"dur":0,"args":{"device":0,"stream":7}})json"));
  REQUIRE(trace.ok());
  CHECK(trace->ops.size() == 1);
  CHECK(trace->losses[Loss::import_skipped] == 1);
  CHECK(trace->losses[Loss::bad_timestamp] == 1);
}

TEST_CASE("kernels and calls as pairs of begin and end are counted, ranges of others are not") {
  const auto begin = [](const char* category) {
    return std::string(R"(,{"ph":"B","name":"a","pid":0,"tid":7,"ts":5,"cat":")") + category +
           R"("},{"ph":"E","pid":0,"tid":7,"ts":6})";
  };
  const auto trace =
      load(with_events(std::string(kKernel) + begin("kernel") + begin("cuda_runtime") +
                       begin("gpu_memcpy") + begin("ac2g") + begin("cpu_op")));
  REQUIRE(trace.ok());
  CHECK(trace->losses[Loss::import_skipped] == 3);
}

TEST_CASE("what is dated a month and more away from the rest of its kind is left out") {
  const auto event = [](const char* category, const char* name, const std::string& ts) {
    return std::string(
               R"({"ph":"X","pid":1,"tid":7,"dur":5,"args":{"device":0,"stream":7},"cat":")") +
           category + R"(","name":")" + name + R"(","ts":)" + ts + "}";
  };
  const std::string kYear = "31536000000000";
  std::string events = event("kernel", "far", kYear);
  for (const char* ts : {"10", "20", "30"})
    events += "," + event("kernel", "near", ts) + "," + event("cuda_runtime", "near", ts);
  events += "," + event("cuda_runtime", "far", "-" + kYear) + "," + event("cpu_op", "alone", kYear);
  const auto trace = load(with_events(events));
  REQUIRE(trace.ok());
  CHECK(trace->ops.size() == 3);
  CHECK(trace->calls.size() == 3);
  CHECK(trace->ranges.size() == 1);  // of another kind, which may have a clock of its own
  for (const Op& op : trace->ops) CHECK(trace->names[op.name] == "near");
  for (const HostCall& call : trace->calls) CHECK(trace->names[call.name] == "near");
  CHECK(trace->losses[Loss::bad_timestamp] == 2);
}

TEST_CASE(
    "streams of a second context have numbers of their own, and ops of none are the first's") {
  std::string events;
  const auto add = [&](int ts, const std::string& context) {
    events += (events.empty() ? "" : ",") +
              std::string(R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"dur":5,"ts":)") +
              std::to_string(ts) + R"(,"args":{"device":0,"stream":7)" + context + "}}";
  };
  add(10, R"(,"context":2)");
  for (const int ts : {20, 30, 40}) add(ts, R"(,"context":1)");
  add(50, "");
  const auto trace = load(with_events(events));
  REQUIRE(trace.ok());
  REQUIRE(trace->ops.size() == 5);
  CHECK(trace->ops[0].stream == 10'000'007);
  for (size_t i = 1; i < 5; ++i) {
    CHECK(trace->ops[i].stream == 7);
    CHECK(trace->ops[i].context == 1);
  }
}

TEST_CASE("a kernel that would run on for long beside the next of its stream is left out") {
  const auto kernel = [](const char* name, const char* ts, const char* dur) {
    return std::string(
               R"({"ph":"X","cat":"kernel","pid":0,"tid":7,"args":{"device":0,"stream":7},)") +
           "\"name\":\"" + name + "\",\"ts\":" + ts + ",\"dur\":" + dur + "}";
  };
  const auto trace =
      load(with_events(kernel("good", "10", "5") + "," + kernel("corrupt", "20", "3600000000") +
                       "," + kernel("good", "30", "5")));
  REQUIRE(trace.ok());
  REQUIRE(trace->ops.size() == 2);
  for (const Op& op : trace->ops) CHECK(trace->names[op.name] == "good");
  CHECK(trace->losses[Loss::bad_timestamp] == 1);
}

namespace {

// A step of PyTorch's allocator, as profile_memory=True writes it.
std::string memory_event(int64_t ts_us, int64_t bytes, const std::string& more, int type = 1,
                         int device = 0) {
  return R"({"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":)" +
         std::to_string(ts_us) + R"(,"args":{"Bytes":)" + std::to_string(bytes) +
         R"(,"Device Type":)" + std::to_string(type) + R"(,"Device Id":)" + std::to_string(device) +
         more + "}}";
}

AllocationLedger::Totals totals_of(const Trace& trace) {
  return *AllocationLedger::decode(trace.blobs.at(std::string(AllocationLedger::kBlobKey)));
}

}  // namespace

TEST_CASE("steps of PyTorch's allocator become allocations on top of what was there before") {
  const auto trace = load(with_events(
      std::string(kLaunch) + "," + kKernel + "," +
      memory_event(1010, 24, R"(,"Addr":4096,"Total Allocated":1024,"Total Reserved":2048)") + "," +
      memory_event(1030, -600, R"(,"Addr":8192,"Total Allocated":424,"Total Reserved":2048)") +
      "," +
      memory_event(1020, 16, R"(,"Addr":9000,"Total Allocated":16,"Total Reserved":0)", 0, -1) +
      "," + memory_event(1040, -24, R"(,"Addr":4096,"Total Allocated":400,"Total Reserved":4096)") +
      "," + memory_event(1050, 8, "", 1, -1) + "," + memory_event(1060, 0, "") +
      R"(,{"ph":"i","name":"[memory]","ts":1070,"args":{"increase_bytes":9}})"));
  REQUIRE(trace.ok());
  CHECK(trace->losses[Loss::import_skipped] == 1);  // no such device
  const auto totals = totals_of(*trace);
  REQUIRE(totals.size() == 3);
  const AllocationTotals& gpu = totals.at({0, AllocationKind::framework});
  CHECK(gpu.allocations == 1);
  CHECK(gpu.releases == 2);
  CHECK(gpu.unmatched == 0);
  CHECK(gpu.peak_bytes == 1024);
  CHECK(gpu.in_use_bytes == 400);
  const AllocationTotals& reserved = totals.at({0, AllocationKind::framework_reserved});
  CHECK(reserved.allocations == 2);
  CHECK(reserved.in_use_bytes == 4096);
  CHECK(totals.at({Allocation::kHost, AllocationKind::framework}).in_use_bytes == 16);
  REQUIRE(trace->allocations.size() == 6);
  CHECK(trace->allocations[0].time_ns == 1'010'000);
  CHECK(trace->allocations[1].in_use_bytes == 1024);
}

TEST_CASE(
    "the memory events of 2021, without addresses and sums, never give back what is not there") {
  const std::string old =
      R"({"ph":"i","s":"t","name":"[memory]","pid":1,"tid":1,"ts":%,"args":{"Device Type":1,"Device Id":0,"Bytes":#}})";
  const auto event = [&](const char* ts, const char* bytes) {
    std::string text = old;
    text.replace(text.find('%'), 1, ts);
    return text.replace(text.find('#'), 1, bytes);
  };
  const auto trace = load(with_events(std::string(kLaunch) + "," + event("10", "-500") + "," +
                                      event("20", "200") + "," + event("30", "-200")));
  REQUIRE(trace.ok());
  const AllocationTotals gpu = totals_of(*trace).at({0, AllocationKind::framework});
  CHECK(gpu.peak_bytes == 500);
  CHECK(gpu.in_use_bytes == 0);
  CHECK(gpu.unmatched == 0);
}

TEST_CASE("what is in use is told to be beyond the start where no sum tells what was in use then") {
  const std::string sum = R"(,"Addr":4096,"Total Allocated":1024,"Total Reserved":2048)";
  const auto told = load(with_events(std::string(kKernel) + "," + memory_event(10, 24, sum)));
  const auto untold = load(with_events(std::string(kKernel) + "," + memory_event(10, 24, "")));
  REQUIRE(told.ok());
  REQUIRE(untold.ok());
  CHECK(find_fact(*told, kInUseSinceStart) == nullptr);
  CHECK(fact_or_empty(*untold, kInUseSinceStart) == "framework");
}

TEST_CASE("a trace of steps of memory alone is read") {
  const auto trace = load(with_events(memory_event(10, 24, "") + "," + memory_event(20, 8, "")));
  REQUIRE(trace.ok());
  CHECK(trace->ops.empty());
  CHECK(trace->allocations.size() == 2);
  CHECK_FALSE(load(with_events(memory_event(10, 0, ""))).ok());
}

TEST_CASE("steps of more bytes than there are are counted and leave the peak alone") {
  const auto trace = load(
      with_events(memory_event(10, 24, "") + "," + memory_event(20, INT64_MAX, "") + "," +
                  memory_event(30, INT64_MIN, "") + "," + memory_event(40, INT64_MIN + 1, "") +
                  "," + memory_event(50, 8, R"(,"Addr":1,"Total Allocated":9223372036854775807)")));
  REQUIRE(trace.ok());
  CHECK(trace->losses[Loss::import_skipped] == 4);
  CHECK(totals_of(*trace).at({0, AllocationKind::framework}).peak_bytes == 24);
}

TEST_CASE("progress runs up to the whole file") {
  const TemporaryFile file(with_events(kKernel));
  double last = 0;
  LoadOptions options;
  options.progress = [&](double share) { last = share; };
  REQUIRE(load_trace(file.path(), options).ok());
  CHECK(last == 1.0);
}

TEST_CASE("a collective's size is the larger of what a rank gives and gets") {
  const auto collective = [](const char* correlation, const char* arguments) {
    return std::string(
               R"json({"ph":"X","cat":"kernel","name":"ncclDevKernel_AllGather","pid":0,)json"
               R"json("tid":7,"ts":10,"dur":5,"args":{"device":0,"stream":7,"correlation":)json") +
           correlation + R"json(,"grid":[11,1,1],)json" + arguments + "}}";
  };
  const std::string sized =
      R"json("In msg nelems":25136,"Out msg nelems":201088,"Group size":8,"dtype":"BFloat16")json";
  const auto one = load(with_events(collective("1", sized.c_str())));
  REQUIRE(one.ok());
  REQUIRE(one->ops.size() == 1);
  CHECK(one->details[one->ops[0].detail].bytes == 402'176);
  CHECK(one->details[one->ops[0].detail].grid_x == 11);
  CHECK(fact_or_empty(*one, kCollectiveRanks) == "8");

  const auto two = load(with_events(
      collective("1", sized.c_str()) + "," +
      collective("2",
                 R"json("In msg nelems":10,"Out msg nelems":10,"Group size":2,"dtype":"??")json")));
  REQUIRE(two.ok());
  CHECK(find_fact(*two, kCollectiveRanks) == nullptr);  // groups of several sizes
  REQUIRE(two->ops.size() == 2);
  CHECK(two->details[two->ops[1].detail].bytes == 0);  // of a type that is not known
}
