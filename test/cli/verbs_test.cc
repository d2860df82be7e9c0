// The verbs about figures, as a user runs them.
#include <algorithm>
#include <cstdlib>
#include <regex>
#include <sstream>

#include "libdeepprof/trace/writer.h"
#include "test/cli/run_program.h"
#include "test/import/temporary_file.h"
#include "test/support/catch.h"
#include "test/trace/temporary_folder.h"

using namespace deepprof::test;

namespace {

// 12 iterations: a late copy of the batch, ten gemms, a collective beside the last, an optimizer
// kernel, a synchronize. Iteration 8 waits longer. `leaking`: PyTorch's allocator tells that each
// keeps 4 MB.
std::string training_trace(int steps = 12, bool leaking = false) {
  std::string text = "{\"schemaVersion\":1,\"traceEvents\":[\n";
  long correlation = 0;
  const auto event = [&](const std::string& category, const std::string& name, long tid, long start,
                         long length, const std::string& args) {
    if (text.back() == '}') text += ",\n";
    text += "{\"ph\":\"X\",\"cat\":\"" + category + "\",\"name\":\"" + name +
            "\",\"pid\":" + (args.find("stream") != std::string::npos ? "0" : "9") +
            ",\"tid\":" + std::to_string(tid) + ",\"ts\":" + std::to_string(start) +
            ",\"dur\":" + std::to_string(length) + ",\"args\":{" + args + "}}";
  };
  const auto op = [&](const std::string& category, const std::string& name, long stream,
                      long launch, long start, long length) {
    const std::string id = "\"correlation\":" + std::to_string(++correlation);
    event("cuda_runtime", "cudaLaunchKernel", 9, launch, 3, id);
    event(category, name, stream, start, length,
          "\"device\":0,\"stream\":" + std::to_string(stream) + "," + id +
              (category == "gpu_memcpy" ? ",\"bytes\":4096" : ""));
  };
  long now = 1'000'000;
  for (int step = 0; step < steps; ++step) {
    if (step == 8) now += 5'000;
    if (leaking)
      text += std::string(text.back() == '}' ? "," : "") +
              R"({"ph":"i","s":"t","name":"[memory]","pid":9,"tid":9,"ts":)" +
              std::to_string(now + 100) +
              R"(,"args":{"Device Type":1,"Device Id":0,"Bytes":4000000)" +
              R"(,"Total Reserved":900000000,"Total Allocated":)" +
              std::to_string(500'000'000 + step * 4'000'000L) + R"(,"Addr":)" +
              std::to_string(4096 + step) + "}}";
    op("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 7, now, now + 10, 40);
    for (int layer = 0; layer < 10; ++layer)
      op("kernel", "gemm_" + std::to_string(layer), 7, now + 5 + 4 * layer, now + 60 + 101 * layer,
         100);
    op("kernel", "ncclDevKernel_AllReduce_Sum", 20, now + 60, now + 1000, 200);
    op("kernel", "multi_tensor_apply_kernel<adam>", 7, now + 64, now + 1250, 60);
    event("cuda_runtime", "cudaStreamSynchronize", 9, now + 70, 1245,
          "\"correlation\":" + std::to_string(++correlation));
    now += 2'000;
  }
  return text + "]}";
}

}  // namespace

TEST_CASE(
    "every verb about figures has help with an example and prints text, csv, json and markdown") {
  const TemporaryFile file(training_trace());
  for (const char* verb :
       {"gaps", "iter", "kernels", "categories", "streams", "memcpy", "sync", "comm", "timeline"}) {
    INFO(verb);
    const ProgramResult help = run_deepprof({verb, "--help"});
    CHECK(help.exit_code == 0);
    CHECK(has(help.out, std::string("  deepprof ") + verb));
    const ProgramResult text = run_deepprof({verb, file.path()});
    INFO(text.err);
    CHECK(text.exit_code == 0);
    CHECK(lines(text.out) >= 2);
    const ProgramResult csv = run_deepprof({verb, file.path(), "--format", "csv"});
    CHECK(csv.exit_code == 0);
    CHECK(has(csv.out.substr(0, csv.out.find('\n')), ","));
    CHECK(has(run_deepprof({verb, file.path(), "--format", "json"}).out, "{"));
    CHECK(has(run_deepprof({verb, file.path(), "--format", "markdown"}).out, "|"));
  }
}

TEST_CASE("a run without a GPU has its steps, host and findings in every format") {
  const TemporaryFolder folder;
  const std::string path = folder / "host.dprof";
  auto writer = deepprof::TraceWriter::create({path});
  REQUIRE(writer.ok());
  writer.value()->set_fact("recorded", "host");
  constexpr deepprof::NameId kCpu = 1, kCores = 2, kStep = 3;
  writer.value()->define_name(kCpu, "process_cpu_ratio");
  writer.value()->define_name(kCores, "system_cpu_ratio");
  writer.value()->define_name(kStep, "optimizer_step_ns");
  for (int64_t tick = 0; tick <= 40; ++tick) {
    const int64_t time_ns = 1'000'000'000'000 + tick * 100'000'000;
    writer.value()->append_sample(time_ns, kCpu, deepprof::kHostDevice, 1.5);
    writer.value()->append_sample(time_ns, kCores, deepprof::kHostDevice, 0.96);
    writer.value()->append_sample(time_ns, kStep, 0, 5e6);
  }
  writer.value()->finish();
  for (const char* format : {"json", "csv", "markdown"}) {
    const ProgramResult report = run_deepprof({"report", path, "--format", format});
    CAPTURE(format, report.out, report.err);
    CHECK(report.exit_code == 0);
    CHECK(has(report.out, "All cores of the machine together are busy 96.0 %"));
    CHECK(has(report.out, format == std::string("markdown") ? "| 100 ms |" : "100000000"));
    CHECK_FALSE(has(report.out, "GPU busy"));
  }
  for (const char* verb : {"gaps", "kernels", "iter", "timeline"}) {
    const ProgramResult none = run_deepprof({verb, path});
    CAPTURE(verb, none.out, none.err);
    CHECK(none.exit_code == 2);
    CHECK(has(none.out + none.err, "the run was recorded without a GPU (deepprof run --cpu)"));
  }
  const ProgramResult slow = run_deepprof({"iterations", path});
  CHECK(slow.exit_code == 0);
  CHECK(has(slow.out, "as the framework told"));
}

TEST_CASE("what PyTorch's allocator keeps is in the memory of its trace, and a leak is found") {
  const TemporaryFile file(training_trace(20, true));
  const ProgramResult memory = run_deepprof({"memory", file.path(), "--format", "csv"});
  CAPTURE(memory.out, memory.err);
  CHECK(memory.exit_code == 0);
  CHECK(has(memory.out, "\n0,framework,576000000,"));
  CHECK(has(memory.out, "\n0,framework reserved,900000000,"));
  // Each of its steps tells all that is held: neither their number nor their sum says anything.
  const ProgramResult json = run_deepprof({"memory", file.path(), "--format", "json"});
  const std::regex of_reserved(
      R"("memory_kind":\s*"framework reserved"[^}]*"allocations":\s*null,\s*"releases":\s*null,\s*"allocated_bytes":\s*null)");
  CHECK(std::regex_search(json.out, of_reserved));
  const ProgramResult report = run_deepprof({"report", file.path()});
  INFO(report.out);
  CHECK(has(report.out, "GPU 0    framework: at most 576 MB"));
  CHECK(has(report.out, "Allocated memory of GPU 0 (framework) grows by 4.00 MB an iteration"));
}

TEST_CASE("when a leak fills the GPU is told where all that is in use is known") {
  std::string told = training_trace(20, true);
  told.insert(1, R"("deviceProperties":[{"id":0,"name":"GPU","totalGlobalMem":80000000000}],)");
  const std::string untold =
      std::regex_replace(told, std::regex(R"(,"Total Reserved":\d+,"Total Allocated":\d+)"), "");
  REQUIRE(untold.size() < told.size());
  for (const bool is_told : {true, false}) {
    const TemporaryFile file(is_told ? told : untold);
    const std::string report = run_deepprof({"report", file.path()}).out;
    CAPTURE(is_told, report);
    CHECK(has(report, "grows by 4.00 MB an iteration"));
    CHECK(has(report, "the GPU is full") == is_told);
    CHECK(has(report, "beyond what was in use at the start") == !is_told);
  }
}

TEST_CASE("memory of a trace without a GPU op is told with times since its first step") {
  const TemporaryFile file(
      R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::empty","pid":9,"tid":9,)"
      R"("ts":1732960000000000,"dur":5},{"ph":"i","s":"t","name":"[memory]","pid":9,"tid":9,)"
      R"("ts":1732960000000001,"args":{"Device Type":0,"Device Id":-1,"Bytes":1000,"Addr":4096}},)"
      R"({"ph":"i","s":"t","name":"[memory]","pid":9,"tid":9,"ts":1732960002000001,)"
      R"("args":{"Device Type":0,"Device Id":-1,"Bytes":2000,"Addr":8192}},)"
      R"({"ph":"i","s":"t","name":"[memory]","pid":9,"tid":9,"ts":1732960002000002,)"
      R"("args":{"Bytes":2000,"Addr":4096}}]})");
  const ProgramResult memory = run_deepprof({"memory", file.path()}),
                      largest = run_deepprof({"memory", file.path(), "--largest"});
  for (const ProgramResult& one : {memory, largest}) {
    CAPTURE(one.out, one.err);
    CHECK(one.exit_code == 0);
    CHECK(has(one.out, "at: since the first step of allocation"));
    CHECK_FALSE(has(one.out, "1732960"));
  }
  const ProgramResult report = run_deepprof({"report", file.path()});
  CAPTURE(report.out, report.err);
  CHECK(has(report.out, "framework: at most 3.00 KB beyond what was in use at the start (at 2"));
  CHECK(has(report.out, "at: since the first step of allocation"));
  CHECK(has(report.out, "no GPU op was read; 1 event of any kind"));
  CHECK_FALSE(has(report.out, "no GPU op could be read"));
}

TEST_CASE("memory is of the iterations or the time that a filter names") {
  const TemporaryFile file(training_trace(20, true));
  const auto cells = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"memory", file.path(), "--format", "csv", "--no-header"});
    const ProgramResult result = run_deepprof(options);
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    return result.out;
  };
  // Iteration i begins at 2 ms * i and tells of its 4 MB a little later.
  CHECK(has(cells({"--iter", "3"}), "0,framework,512000000,"));
  CHECK(has(cells({"--to", "5ms"}), "0,framework,508000000,"));
  CHECK(has(cells({"--from", "3ms", "--to", "5ms"}), ",508000000,,1,0,4000000,,"));
  CHECK(lines(cells({"--iterations", "--iter", "3-5"})) == 2 * 3);
  CHECK(lines(cells({"--iterations", "--from", "5ms", "--to", "9ms"})) == 2 * 1);
  CHECK(lines(cells({"--series", "--from", "5ms", "--to", "9ms"})) == 2);
  CHECK(lines(cells({"--series", "--iter", "3-5"})) == 3);
  const auto error = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"memory", file.path()});
    const ProgramResult result = run_deepprof(options);
    CHECK(result.exit_code == 1);
    return result.err;
  };
  CHECK(has(error({"--stream", "7"}), "--stream: memory is of a device"));
  CHECK(has(error({"--largest", "--iter", "3"}), "--largest is of the peak of the whole run"));
  CHECK(has(error({"--largest", "--from", "3ms"}), "--largest is of the peak of the whole run"));
  CHECK(has(error({"--device", "5"}), "no such device; there are 0"));
}

TEST_CASE("a GPU of which memory alone is known can be named, and others stay out of its report") {
  std::string text = training_trace(12, true);
  text.resize(text.rfind(']'));
  text += R"(,{"ph":"i","s":"t","name":"[memory]","pid":9,"tid":9,"ts":1000100,)"
          R"("args":{"Device Type":1,"Device Id":3,"Bytes":7000000,"Total Allocated":7000000}}]})";
  const TemporaryFile file(text);
  const ProgramResult memory = run_deepprof({"memory", file.path(), "--device", "3"});
  CAPTURE(memory.out, memory.err);
  CHECK(memory.exit_code == 0);
  CHECK(has(memory.out, "7.00 MB"));
  CHECK_FALSE(has(memory.out, "MB GPU 0"));
  for (const char* device : {"0", "3"}) {
    const ProgramResult report = run_deepprof({"report", file.path(), "--device", device});
    CAPTURE(device, report.out, report.err);
    CHECK(has(report.out, "  GPU 0    framework") == (*device == '0'));
    CHECK(has(report.out, "  GPU 3    framework") == (*device == '3'));
    CHECK(has(report.out, "no GPU op of GPU 3 was recorded") == (*device == '3'));
  }
}

TEST_CASE("single steps of memory have times since the first op and no address that is not known") {
  std::string text = training_trace(12, true);
  text.resize(text.rfind(']'));
  text += R"(,{"ph":"i","s":"t","name":"[memory]","pid":9,"tid":9,"ts":1000100,)"
          R"("args":{"Device Type":0,"Device Id":-1,"Bytes":7000}}]})";
  const TemporaryFile file(text);
  const ProgramResult people = run_deepprof({"memory", file.path(), "--series"});
  CAPTURE(people.out, people.err);
  CHECK(has(people.out, "at: since the first GPU op"));
  CHECK(has(people.out, "0x1000"));
  CHECK_FALSE(has(people.out, "0x0"));
  CHECK_FALSE(has(people.out, "1000100000"));
  CHECK(has(people.out, "framework: what is in use is beyond what was in use at the start"));
  const ProgramResult programs =
      run_deepprof({"memory", file.path(), "--series", "--format", "csv"});
  CHECK(has(programs.out, "\n1000100000,host,framework,allocate,7000,7000,,\n"));
}

TEST_CASE("why no allocation is in a trace is told as its recorder knew it") {
  const auto said_with = [](const std::vector<std::pair<std::string, std::string>>& facts) {
    const TemporaryFolder folder;
    deepprof::TraceWriterOptions options;
    options.path = folder / "t.dprof";
    auto writer = deepprof::TraceWriter::create(options);
    REQUIRE(writer);
    for (const auto& [key, value] : facts) writer.value()->set_fact(key, value);
    writer.value()->finish();
    return run_deepprof({"memory", options.path}).out;
  };
  CHECK(has(said_with({}), "record with DEEPPROF_MEMORY=1"));
  for (const std::string& said :
       {said_with({{"memory_records", "on"}}),
        said_with({{"memory_records", "on"}, {"refused.allocation", "error 21"}}),
        said_with({{"memory_records", "on"}, {"recorded_part", "from 3.0 s after the start on"}})})
    CHECK_FALSE(has(said, "record with"));
  CHECK(has(said_with({{"memory_records", "on"}, {"refused.allocation", "error 21"}}), "error 21"));
}

TEST_CASE("memory of a trace without allocations says how to record them") {
  const TemporaryFile file(training_trace());
  const ProgramResult result = run_deepprof({"memory", file.path()});
  CHECK(result.exit_code == 2);
  CHECK(has(result.out, "DEEPPROF_MEMORY=1"));
  const ProgramResult series = run_deepprof({"memory", file.path(), "--series", "--format", "csv"});
  CHECK(series.exit_code == 2);
  CHECK(series.out.starts_with("time_ns,device,memory_kind,"));
}

TEST_CASE("gaps are filtered by cause, length and iteration") {
  const TemporaryFile file(training_trace());
  const auto rows = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"gaps", file.path(), "--format", "csv", "--no-header"});
    return lines(run_deepprof(arguments).out);
  };
  CHECK(rows({}) > rows({"--min", "100us"}));
  CHECK(rows({"--min", "4ms"}) == 1);
  CHECK(rows({"--cause", "host"}) + rows({"--cause", "kernel_wait"}) +
            rows({"--cause", "dependency_wait"}) ==
        rows({}));
  CHECK(rows({"--iter", "3"}) > 0);
  CHECK(rows({"--iter", "3"}) < rows({}) / 6);
  CHECK(has(run_deepprof({"gaps", file.path(), "--rule", "hta"}).out, "kernel wait"));
  CHECK(lines(run_deepprof({"gaps", file.path(), "--by-cause", "--format", "csv"}).out) == 9);
  for (const std::vector<std::string>& wrong : std::vector<std::vector<std::string>>{
           {"--cause", "gremlins"}, {"--min", "soon"}, {"--rule", "mine"}}) {
    std::vector<std::string> arguments{"gaps", file.path()};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    const ProgramResult result = run_deepprof(arguments);
    CHECK(result.exit_code == 1);
    CHECK(lines(result.err) == 1);
  }
}

TEST_CASE("kernels are filtered by category and by a pattern of the name") {
  const TemporaryFile file(training_trace());
  CHECK(lines(run_deepprof({"kernels", file.path(), "--format", "csv", "--no-header"}).out) == 12);
  CHECK(lines(run_deepprof(
                  {"kernels", file.path(), "--category", "gemm", "--format", "csv", "--no-header"})
                  .out) == 10);
  CHECK(lines(run_deepprof({"kernels", file.path(), "--name", "gemm_[12]$", "--format", "csv",
                            "--no-header"})
                  .out) == 2);
  CHECK(run_deepprof({"kernels", file.path(), "--name", "(", "--format", "csv"}).exit_code == 1);
  CHECK(run_deepprof({"kernels", file.path(), "--category", "nonsense"}).exit_code == 1);
}

TEST_CASE("categories test shows the rule, and a rule file comes first") {
  CHECK(has(run_deepprof({"categories", "test", "ampere_sgemm_128x64_nn"}).out, "gemm"));
  const TemporaryFile rules("mine sgemm_128\n"), bad("mine (\n");
  CHECK(has(
      run_deepprof({"categories", "test", "ampere_sgemm_128x64_nn", "--categories", rules.path()})
          .out,
      "mine"));
  const TemporaryFile file(training_trace());
  const ProgramResult result =
      run_deepprof({"categories", file.path(), "--categories", bad.path()});
  CHECK(result.exit_code == 1);
  CHECK(has(result.err, bad.path() + ":1: "));
}

TEST_CASE("iter shows the slowest iteration unless told, and refuses one that is not there") {
  const TemporaryFile file(training_trace());
  CHECK(has(run_deepprof({"iter", file.path()}).out, "iteration 7 of GPU 0"));
  CHECK(has(run_deepprof({"iter", file.path(), "3"}).out, "iteration 3 of GPU 0"));
  CHECK(run_deepprof({"iter", file.path(), "99"}).exit_code == 1);
  CHECK(has(run_deepprof({"iterations", file.path(), "--slow"}).out, "host outside CUDA"));
}

TEST_CASE("a report of some iterations keeps the causes of the gaps at their ends") {
  const TemporaryFile file(training_trace());
  const ProgramResult whole = run_deepprof({"report", file.path()}),
                      one = run_deepprof({"report", file.path(), "--iter", "7"});
  CHECK(has(whole.out, "worst 7") + has(whole.out, ": 7 (") == 1);
  CHECK(has(one.out, "mean iteration 7.000 ms"));
  CHECK(has(one.out, "unattributed         0.000 ms"));
}

TEST_CASE("report prints the tables behind the page for programs") {
  const TemporaryFile file(training_trace());
  const ProgramResult json = run_deepprof({"report", file.path(), "--format", "json"});
  CHECK(json.exit_code == 0);
  for (const char* table : {"breakdown", "idle", "categories", "findings"})
    CHECK(has(json.out, std::string("\"") + table + "\""));
}

TEST_CASE("gaps of an iteration are those in it") {
  const TemporaryFile file(training_trace());
  const ProgramResult one =
      run_deepprof({"gaps", file.path(), "--iter", "3", "--format", "csv", "--no-header"});
  CAPTURE(one.out, one.err);
  CHECK(one.exit_code == 0);
  CHECK(lines(one.out) > 0);
  std::istringstream rows(one.out);
  for (std::string row; std::getline(rows, row);) CHECK(row.substr(0, 4) == "0,3,");
  const ProgramResult section =
      run_deepprof({"gaps", file.path(), "--section", "warm-up", "--format", "csv"});
  CHECK(section.exit_code == 1);  // it has none, and what has none must not list all
}

TEST_CASE("the list of ops beside an iteration can be cut, its parts cannot: they add up") {
  const TemporaryFile file(training_trace());
  const ProgramResult all = run_deepprof({"iter", file.path(), "8"}),
                      cut = run_deepprof({"iter", file.path(), "8", "-n", "2"});
  CAPTURE(all.out, cut.out);
  const std::string parts = all.out.substr(0, all.out.find("its ops against"));
  CHECK(has(parts, "host outside CUDA"));
  CHECK(cut.out.substr(0, cut.out.find("its ops against")) == parts);
  CHECK(has(cut.out, "first 2 of 14 rows"));
}

TEST_CASE(
    "a page of named iterations says of how many, and a verb that shows one refuses several") {
  const TemporaryFile file(training_trace());
  const ProgramResult page = run_deepprof({"report", file.path(), "--iter", "2-4"});
  CAPTURE(page.out);
  CHECK(has(page.out, "counted    3 of them, those that were asked for"));
  CHECK_FALSE(has(page.out, "excluded"));
  for (const char* verb : {"iter", "timeline"}) {
    const ProgramResult refused = run_deepprof({verb, file.path(), "--iter", "2-4"});
    CAPTURE(verb, refused.out, refused.err);
    CHECK(refused.exit_code == 1);
    CHECK(has(refused.err, "--iter 2-4: one iteration is shown"));
    CHECK(run_deepprof({verb, file.path(), "--iter", "2"}).exit_code == 0);
  }
}

TEST_CASE("a list of kernels that is cut says of how many, sorted or not") {
  const TemporaryFile file(training_trace());
  for (const char* order : {"total", "name", ""}) {
    std::vector<std::string> command{"kernels", file.path(), "-n", "2"};
    if (*order != 0) command.insert(command.end(), {"-s", order});
    const ProgramResult cut = run_deepprof(command);
    CAPTURE(cut.out);
    CHECK(has(cut.out, "first 2 of 12 rows"));
    CHECK(has(cut.out, order == std::string("name") ? "ncclDevKernel" : "gemm_0"));
  }
  CHECK(has(run_deepprof({"kernels", file.path(), "-n", "1", "--name", "gemm"}).out,
            "first 1 of 10 rows"));
}

TEST_CASE("iterations without a trace of training are steady ones") {
  std::string text = training_trace();
  for (size_t at; (at = text.find("multi_tensor_apply_kernel<adam>")) != std::string::npos;)
    text.replace(at, 31, "sampling_kernel");
  const TemporaryFile serving(text), training(training_trace());
  const ProgramResult steady = run_deepprof({"iterations", serving.path(), "--format", "csv"});
  CAPTURE(steady.out, steady.err);
  CHECK(has(steady.out, ",steady,"));
  CHECK_FALSE(has(steady.out, "training"));
  CHECK(run_deepprof({"iterations", serving.path(), "--section", "steady"}).exit_code == 0);
  CHECK(has(run_deepprof({"report", serving.path()}).out, "steady") == false);
  CHECK(has(run_deepprof({"iterations", training.path(), "--format", "csv"}).out, ",training,"));
}

TEST_CASE("an end in time has one name in the help of every verb, and export says why not there") {
  CHECK(has(run_deepprof({"gaps", "--help"}).out, "--to,--until TIME"));
  const std::string help = run_deepprof({"export", "--help"}).out;
  CHECK(has(help, "--until TIME"));
  CHECK(has(help, "names the format here"));
  const TemporaryFile file(training_trace());
  CHECK(has(run_deepprof({"export", file.path(), "--to", "csv", "--until", "soon"}).err,
            "--until soon: expected a time"));
}

TEST_CASE("explain knows the words of the report") {
  CHECK(has(run_deepprof({"explain", "utilization"}).out, "NVML"));
  CHECK(has(run_deepprof({"explain", "kernel", "wait"}).out, "30 us"));
  CHECK(lines(run_deepprof({"explain"}).out) > 60);
  const ProgramResult unknown = run_deepprof({"explain", "gremlins"});
  CHECK(unknown.exit_code == 1);
  CHECK(lines(unknown.err) == 1);
}

TEST_CASE(
    "iterations of a run without a GPU are the optimizer's steps that its framework told of") {
  const TemporaryFolder folder;
  const std::string path = folder / "cpu.dprof";
  auto writer = deepprof::TraceWriter::create({path, 0});
  REQUIRE(writer.ok());
  writer.value()->define_name(1, "optimizer_step_ns");
  writer.value()->set_fact("recorded", "host");
  for (int64_t step = 1; step <= 30; ++step)
    writer.value()->append_sample(step * 100'000'000, 1, 0, 2e6);
  writer.value()->finish();
  const ProgramResult steps = run_deepprof({"iterations", path, "--format", "csv"});
  INFO(steps.out << steps.err);
  CHECK(steps.exit_code == 0);
  CHECK(lines(steps.out) == 30);
  CHECK(has(steps.out, ",100000000,2000000,"));
  CHECK(run_deepprof({"iterations", path, "--slow"}).exit_code == 1);
}

TEST_CASE("a metric that nobody samples is refused in one line") {
  const TemporaryFile file(training_trace());
  const ProgramResult wrong =
      run_deepprof({"device", file.path(), "--series", "--metric", "gpu_powr_mw"});
  CHECK(wrong.exit_code == 1);
  CHECK(lines(wrong.err) == 1);
  CHECK(has(wrong.err, "did you mean gpu_power_mw"));
  CHECK(run_deepprof({"device", file.path(), "--series", "--metric", "gpu_power_mw"}).exit_code ==
        2);
}

TEST_CASE("a page refuses the options that are of tables alone, and csv a unit of its own") {
  const TemporaryFile file(training_trace());
  const std::vector<std::vector<std::string>> pages{
      {"report", file.path()}, {"timeline", file.path()}, {"explain", "idle"}};
  const std::vector<std::vector<std::string>> options{
      {"--unit", "ms"}, {"--no-header"}, {"--wide"}, {"-n", "3"}, {"-s", "duration"}};
  for (const std::vector<std::string>& page : pages) {
    for (const std::vector<std::string>& option : options) {
      std::vector<std::string> command = page;
      command.insert(command.end(), option.begin(), option.end());
      const ProgramResult refused = run_deepprof(command);
      CAPTURE(page[0], option[0], refused.err);
      CHECK(refused.exit_code == 1);
      CHECK(lines(refused.err) == 1);
      CHECK(has(refused.err, " is a page, not a table; for its tables add --format"));
    }
  }
  const ProgramResult in_us =
      run_deepprof({"report", file.path(), "--format", "markdown", "--unit", "us"});
  CHECK(in_us.exit_code == 0);
  CHECK(has(in_us.out, "2000.000 us"));
  const ProgramResult csv = run_deepprof({"gaps", file.path(), "--format", "csv", "--unit", "ms"});
  CHECK(csv.exit_code == 1);
  CHECK(has(csv.err, "--unit is of text and markdown"));
  const std::string rows =
      run_deepprof({"gaps", file.path(), "--format", "markdown", "--no-header"}).out;
  CHECK(has(rows, "| "));
  CHECK_FALSE(has(rows, "duration"));
  CHECK_FALSE(has(rows, "---"));
}
