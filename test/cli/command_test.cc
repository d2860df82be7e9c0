#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "test/cli/run_program.h"
#include "test/import/temporary_file.h"
#include "test/support/catch.h"
#include "test/trace/temporary_folder.h"

using namespace deepprof::test;

namespace {

// A made training loop: `steps` iterations of one copy, 20 kernels and an optimizer kernel.
std::string training_trace(int steps) {
  std::string text =
      "{\"schemaVersion\":1,\"distributedInfo\":{\"rank\":2,\"world_size\":4},\"traceEvents\":[\n";
  long time_us = 1'000'000, correlation = 0;
  const auto op = [&](const char* category, const std::string& name, long duration) {
    ++correlation;
    const std::string id = std::to_string(correlation);
    if (correlation > 1) text += ",\n";
    text +=
        "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":9,\"tid\":9,"
        "\"ts\":" +
        std::to_string(time_us - 5) + ",\"dur\":3,\"args\":{\"correlation\":" + id + "}},\n";
    text += std::string("{\"ph\":\"X\",\"cat\":\"") + category + "\",\"name\":\"" + name +
            "\",\"pid\":0,\"tid\":7,\"ts\":" + std::to_string(time_us) +
            ".5,\"dur\":" + std::to_string(duration) +
            ",\"args\":{\"device\":0,\"stream\":7,\"correlation\":" + id + "}}";
    time_us += duration + 2;
  };
  for (int step = 0; step < steps; ++step) {
    op("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 40);
    for (int layer = 0; layer < 10; ++layer) {
      op("kernel", "gemm_" + std::to_string(layer), 100);
      op("kernel", "relu_kernel", 10);
    }
    op("kernel", "multi_tensor_apply_kernel<adam>", 60);
    time_us += 300;
  }
  return text + "]}";
}

std::string without_files(std::string text, const std::string& path) {
  for (size_t at = text.find(path); at != std::string::npos; at = text.find(path))
    text.replace(at, path.size(), "FILE");
  return text;
}

}  // namespace

TEST_CASE("help and version end with 0, and every verb's help has an example") {
  CHECK(run_deepprof({"--version"}).out.rfind("deepprof ", 0) == 0);
  const ProgramResult help = run_deepprof({"--help"});
  CHECK(help.exit_code == 0);
  for (const char* verb : {"run", "report", "iterations", "info", "import", "export"}) {
    INFO(verb);
    CHECK(help.out.find(verb) != std::string::npos);
    const ProgramResult more = run_deepprof({verb, "--help"});
    CHECK(more.exit_code == 0);
    CHECK(more.out.find(std::string("  deepprof ") + verb) != std::string::npos);
    CHECK(more.err.empty());
  }
}

TEST_CASE("wrong usage is one line on stderr and exit code 1") {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{},
                                             {"nonsense"},
                                             {"iterations"},
                                             {"iterations", "a", "b"},
                                             {"iterations", "--format", "xml", "/dev/null"},
                                             {"iterations", "-n", "-3", "/dev/null"},
                                             {"export", "/dev/null"}}) {
    const ProgramResult result = run_deepprof(arguments);
    CAPTURE(arguments, result.err);
    CHECK(result.exit_code == 1);
    CHECK(result.out.empty());
    CHECK(lines(result.err) == 1);
  }
  CHECK(run_deepprof({"nonsense"})
            .err.rfind("deepprof: no verb nonsense; there are run, report, iterations, ", 0) == 0);
  CHECK(run_deepprof({"iter", "/dev/null", "x"}).err.find("expected a whole number, not \"x\"") !=
        std::string::npos);
}

TEST_CASE("input that cannot be read is one line that names the file, and exit code 1") {
  const TemporaryFile garbage("this is no trace"), empty(""), cut("{\"traceEvents\":[{\"ph\"");
  for (const std::string& path : {garbage.path(), empty.path(), cut.path(),
                                  std::string("/nonexistent"), std::string("/tmp")}) {
    for (const char* verb : {"report", "iterations", "info"}) {
      const ProgramResult result = run_deepprof({verb, path});
      CAPTURE(verb, result.err);
      CHECK(result.exit_code == 1);
      CHECK(result.out.empty());
      CHECK(lines(result.err) == 1);
      CHECK(result.err.find(path) != std::string::npos);
    }
  }
}

TEST_CASE("iterations print one row each, with stable columns, in every format") {
  const TemporaryFile file(training_trace(12));
  const ProgramResult csv = run_deepprof({"iterations", file.path(), "--format", "csv"});
  CAPTURE(csv.out, csv.err);
  CHECK(csv.exit_code == 0);
  CHECK(csv.out.rfind(
            "iteration,device,section,kind,start_ns,end_ns,duration_ns,ops,first_correlation", 0) ==
        0);
  CHECK(lines(csv.out) >= 11);
  CHECK(csv.out.find("0,0,training,iteration,1000") != std::string::npos);
  const ProgramResult json = run_deepprof({"iterations", file.path(), "--format", "json"});
  CHECK(json.out.rfind("{\"table\":\"iterations\"", 0) == 0);
  const ProgramResult markdown = run_deepprof({"iterations", file.path(), "--format", "markdown"});
  CHECK(markdown.out.rfind("| iteration |", 0) == 0);
  const ProgramResult text = run_deepprof({"iterations", file.path()});
  CHECK(text.out.find('\x1b') == std::string::npos);
  CHECK(text.out.find("of GPU time, confidence") != std::string::npos);
  CHECK(text.err.empty());
}

TEST_CASE("a trace without iterations gives the header alone and exit code 2") {
  const TemporaryFile file(training_trace(1));
  const ProgramResult csv = run_deepprof({"iterations", file.path(), "--format", "csv"});
  CHECK(csv.exit_code == 2);
  CHECK(lines(csv.out) == 1);
  CHECK(csv.out.rfind("iteration,device,", 0) == 0);
  CHECK(run_deepprof({"iterations", file.path()}).out.find("no iteration structure found") !=
        std::string::npos);
}

TEST_CASE("filters, sorting and row limits are the same for all verbs") {
  const TemporaryFile file(training_trace(12));
  const auto rows = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"iterations", file.path(), "--format", "csv", "--no-header"});
    const ProgramResult result = run_deepprof(more);
    CAPTURE(more, result.err);
    CHECK(result.exit_code == 0);
    return lines(result.out);
  };
  CHECK(rows({"--iter", "3-5"}) == 3);
  CHECK(rows({"--iter", "4"}) == 1);
  CHECK(rows({"--device", "0"}) >= 10);
  CHECK(rows({"-n", "2"}) == 2);
  CHECK(rows({"--from", "1ms", "--to", "4ms"}) < 5);
  CHECK(rows({"--rank", "2"}) >= 10);
  const ProgramResult sorted = run_deepprof(
      {"iterations", file.path(), "--format", "csv", "--no-header", "-s", "iteration", "-n", "1"});
  CHECK(sorted.out.rfind("0,", 0) != 0);
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"--rank", "0"},
                                             {"--device", "1"},
                                             {"--iter", "5-3"},
                                             {"--iter", "x"},
                                             {"--section", "lunch"},
                                             {"--from", "soon"},
                                             {"-s", "colour"}}) {
    std::vector<std::string> arguments{"iterations", file.path()};
    arguments.insert(arguments.end(), wrong.begin(), wrong.end());
    const ProgramResult result = run_deepprof(arguments);
    CAPTURE(wrong, result.err);
    CHECK(result.exit_code == 1);
    CHECK(lines(result.err) == 1);
    CHECK(result.out.empty());
  }
}

TEST_CASE("an imported trace answers as its source does") {
  const TemporaryFile file(training_trace(12));
  const std::string dump = file.path() + ".copy.dprof";
  const ProgramResult imported = run_deepprof({"import", file.path(), "-o", dump});
  CAPTURE(imported.err);
  REQUIRE(imported.exit_code == 0);
  const ProgramResult before = run_deepprof({"iterations", file.path(), "--format", "csv"});
  const ProgramResult after = run_deepprof({"iterations", dump, "--format", "csv"});
  CHECK(before.out == after.out);
  CHECK(run_deepprof({"export", dump, "--to", "csv"}).out ==
        run_deepprof({"export", file.path(), "--to", "csv"}).out);
  // Never overwrites.
  CHECK(run_deepprof({"import", file.path(), "-o", dump}).exit_code == 1);
  std::filesystem::remove(dump);
}

TEST_CASE("export of a trace without GPU ops says so, and writes what there is") {
  const TemporaryFile file(
      R"json({"traceEvents":[{"ph":"X","cat":"cuda_runtime","name":"cudaDeviceSynchronize",)json"
      R"json("pid":9,"tid":9,"ts":1,"dur":3,"args":{"correlation":1}}]})json");
  const ProgramResult lines = run_deepprof({"export", file.path(), "--to", "jsonl"});
  CHECK(lines.exit_code == 0);
  CHECK(lines.out.find("cudaDeviceSynchronize") != std::string::npos);
  CHECK(lines.err.find("the trace has no GPU op; written are its calls") != std::string::npos);
  const ProgramResult rows = run_deepprof({"export", file.path(), "--to", "csv"});
  CHECK(rows.exit_code == 2);
  CHECK(rows.err.find(
            "the trace has no GPU op; its calls, ranges, samples and allocations: --to jsonl") !=
        std::string::npos);
}

TEST_CASE("export writes what is selected") {
  const TemporaryFile file(training_trace(12));
  const ProgramResult all = run_deepprof({"export", file.path(), "--to", "csv"});
  CHECK(all.exit_code == 0);
  CHECK(lines(all.out) == 1 + 12 * 22);
  CHECK(all.out.find(
            "1000000500,40000,0,7,memcpy,1,0,999995000,0,Memcpy HtoD (Pinned -> Device)\n") !=
        std::string::npos);
  const ProgramResult two = run_deepprof({"export", file.path(), "--to", "csv", "--iter", "4-5"});
  CHECK(lines(two.out) == 1 + 2 * 22);
  CHECK(run_deepprof({"export", file.path(), "--to", "csv", "--device", "5"}).exit_code == 1);
  // Without --to the output file's ending says which format.
  const std::string csv = file.path() + ".all.csv";
  CHECK(run_deepprof({"export", file.path(), "-o", csv}).exit_code == 0);
  std::ifstream written(csv);
  CHECK(std::string(std::istreambuf_iterator<char>(written), {}) == all.out);
  std::filesystem::remove(csv);
  CHECK(run_deepprof({"export", file.path(), "-o", file.path() + ".paper"})
            .err.find("--to is required") != std::string::npos);
  const ProgramResult unknown = run_deepprof({"export", file.path(), "--to", "paper"});
  CHECK(unknown.exit_code == 1);
  CHECK(unknown.err.find("--to: no format paper; there are csv, ") != std::string::npos);
}

TEST_CASE("a reader that goes away ends the command quietly") {
  const TemporaryFile file(training_trace(400));
  const char* program = std::getenv("DEEPPROF_COMMAND");
  const ProgramResult result =
      run_program({"bash", "-c",
                   std::string("\"$0\" export \"$1\" --to csv | head -n 1; echo ${PIPESTATUS[0]}"),
                   program, file.path()});
  CAPTURE(result.out, result.err);
  CHECK(result.err.empty());
  CHECK(result.out.ends_with("\n0\n"));
}

TEST_CASE("of a file that cannot be written to its end nothing stays") {
  const TemporaryFile file(training_trace(4000));
  const TemporaryFolder folder;
  const auto limited = [&](const std::string& verb, const std::string& name) {
    const std::string output = folder / name;
    const ProgramResult result =
        run_program({"bash", "-c", "ulimit -f 2; exec \"$0\" " + verb + " \"$1\" -o \"$2\"",
                     std::getenv("DEEPPROF_COMMAND"), file.path(), output});
    CAPTURE(verb, result.err);
    CHECK(result.exit_code == 1);
    CHECK_FALSE(std::filesystem::exists(output));
  };
  limited("export", "trace.csv");
  limited("export", "trace.csv.gz");
  limited("import", "trace.dprof");
}

TEST_CASE("info names the process, the devices and the events") {
  const TemporaryFile file(training_trace(3));
  const ProgramResult info = run_deepprof({"info", file.path()});
  CHECK(info.exit_code == 0);
  CHECK(without_files(info.out, file.path()).find("FILE") != std::string::npos);
  CHECK(info.out.find("world_size   4") != std::string::npos);
  CHECK(info.out.find("kernel               63") != std::string::npos);
  CHECK(run_deepprof({"info", file.path(), "--format", "json"})
            .out.rfind("[{\"table\":\"trace\"", 0) == 0);
}

TEST_CASE("run becomes the job: exit code, signals, output and environment are the job's own") {
  const std::string library = built_library();
  const auto run = [&](std::vector<std::string> job) {
    job.insert(job.begin(), {"run", "--library", library, "--"});
    return run_deepprof(job);
  };
  CHECK(run({"sh", "-c", "exit 7"}).exit_code == 7);
  CHECK(run({"sh", "-c", "kill -TERM $$"}).exit_code == -15);
  CHECK(run({"sh", "-c", "kill -PIPE $$"}).exit_code == -13);
  CHECK(run({"sh", "-c", "echo $CUDA_INJECTION64_PATH; echo --help -n 3 >&2"}).out ==
        library + "\n");
  CHECK(run({"printf", "%s|", "--help", "-n", "", "a b"}).out == "--help|-n||a b|");
  const ProgramResult missing = run({"/nonexistent/job"});
  CHECK(missing.exit_code == 127);
  CHECK(missing.err.ends_with(
      "deepprof run: cannot start /nonexistent/job: No such file or directory\n"));
  const ProgramResult no_library =
      run_deepprof({"run", "--library", "/nonexistent.so", "--", "true"});
  CHECK(no_library.exit_code == 1);
  CHECK(no_library.err == "deepprof run: cannot read /nonexistent.so: No such file or directory\n");
  CHECK(run_deepprof({"run", "--library", library, "--print-library"}).out == library + "\n");
  const std::string relative = std::filesystem::relative(library).string();
  CHECK(run_deepprof({"run", "--library", relative, "--print-library"}).out == library + "\n");
  const ProgramResult no_job = run_deepprof({"run", "--library", library});
  CHECK(no_job.exit_code == 1);
  CHECK(no_job.err.find("deepprof run -- CMD") != std::string::npos);
}

TEST_CASE(
    "run says beforehand that nothing will be recorded where there is no driver, and what records "
    "then") {
  const std::string library = built_library();
  const bool driver = ::dlopen("libcuda.so.1", RTLD_LAZY) != nullptr;
  const std::string said = run_deepprof({"run", "--library", library, "--", "true"}).err;
  INFO(said);
  CHECK((said.find("no NVIDIA driver") != std::string::npos) == !driver);
  CHECK((said.find("deepprof run --cpu") != std::string::npos) == !driver);
}

TEST_CASE("a report in Markdown is for people: no keys, no mangled length, no empty table") {
  const TemporaryFile file(training_trace(12));
  const std::string text = run_deepprof({"report", file.path(), "--format", "markdown"}).out;
  INFO(text);
  CHECK(text.find("next step") != std::string::npos);
  CHECK(text.find("\\_step") == std::string::npos);
  CHECK(text.find("_ns") == std::string::npos);
  CHECK(text.find("GPUS") == std::string::npos);  // nothing was sampled
}
