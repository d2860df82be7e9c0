// Every verb against every format and every fault of its arguments: one behaviour everywhere.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "test/cli/run_program.h"
#include "test/import/temporary_file.h"
#include "test/support/catch.h"

using namespace deepprof::test;

namespace {

using Words = std::vector<std::string>;

// Verbs that print tables of figures of a FILE and take the filters.
const Words kFigureVerbs{"report",  "iterations", "gaps", "iter", "kernels", "categories",
                         "streams", "memcpy",     "sync", "comm", "timeline"};
// Those that only say what a file holds.
const Words kFileVerbs{"info", "check"};

Words all_verbs() {
  Words verbs = kFigureVerbs;
  verbs.insert(verbs.end(), kFileVerbs.begin(), kFileVerbs.end());
  return verbs;
}

// Iterations of a copy, two kernels on each of two streams, and a synchronize.
std::string loop_trace(int steps = 10) {
  std::ostringstream text;
  text << "{\"schemaVersion\":1,\"traceEvents\":[";
  long id = 0, now = 1'000'000;
  const auto op = [&](const char* category, const char* name, int stream, long start, long length) {
    ++id;
    text << (id > 1 ? "," : "")
         << R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":9,"tid":9,"ts":)"
         << start - 20 << R"(,"dur":3,"args":{"correlation":)" << id << R"(}},{"ph":"X","cat":")"
         << category << R"(","name":")" << name << R"(","pid":0,"tid":)" << stream
         << ",\"ts\":" << start << ",\"dur\":" << length << R"(,"args":{"device":0,"stream":)"
         << stream << R"(,"bytes":4096,"correlation":)" << id << "}}";
  };
  for (int step = 0; step < steps; ++step) {
    op("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 7, now, 40);
    for (int layer = 0; layer < 5; ++layer)
      op("kernel", "sgemm_128", 7, now + 60 + 100 * layer, 90);
    op("kernel", "ncclDevKernel_AllReduce_Sum", 20, now + 300, 200);
    op("kernel", "multi_tensor_apply_kernel<adam>", 7, now + 600, 60);
    text
        << R"(,{"ph":"X","cat":"cuda_runtime","name":"cudaStreamSynchronize","pid":9,"tid":9,"ts":)"
        << now + 590 << R"(,"dur":80,"args":{"correlation":)" << 100'000 + id << "}}";
    now += 900;
  }
  text << "]}";
  return text.str();
}

void check_refused(const ProgramResult& result, const std::string& says) {
  CAPTURE(result.err, result.out);
  CHECK(result.exit_code == 1);
  CHECK(result.out.empty());
  CHECK(lines(result.err) == 1);
  CHECK(has(result.err, says));
}

}  // namespace

TEST_CASE("every verb prints every format, to stdout and to a file, and the file is the same") {
  const TemporaryFile trace(loop_trace());
  for (const std::string& verb : all_verbs()) {
    for (const char* format : {"text", "csv", "json", "markdown"}) {
      CAPTURE(verb, format);
      const ProgramResult shown = run_deepprof({verb, trace.path(), "--format", format});
      CAPTURE(shown.err);
      CHECK(shown.exit_code == 0);
      CHECK(shown.err.empty());
      CHECK_FALSE(shown.out.empty());
      CHECK_FALSE(has(shown.out, "\x1b"));
      if (std::string(format) == "json") CHECK((shown.out[0] == '{' || shown.out[0] == '['));
      const std::string path = trace.path() + "." + verb + "." + format;
      const ProgramResult written =
          run_deepprof({verb, trace.path(), "--format", format, "-o", path});
      CHECK(written.exit_code == 0);
      CHECK(written.out.empty());
      std::ifstream file(path);
      CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == shown.out);
      check_refused(run_deepprof({verb, trace.path(), "-o", path}),
                    "cannot create " + path);  // never overwritten
      std::remove(path.c_str());
    }
  }
}

TEST_CASE("a word that is not in a list is refused by every verb with what there is") {
  const TemporaryFile trace(loop_trace());
  for (const std::string& verb : all_verbs()) {
    CAPTURE(verb);
    check_refused(
        run_deepprof({verb, trace.path(), "--format", "jsn"}),
        "--format: expected one of text, csv, json, markdown, not \"jsn\"; did you mean json?");
    check_refused(run_deepprof({verb, trace.path(), "--unit", "hours"}),
                  "--unit: expected one of auto, ns, us, ms, s");
    check_refused(run_deepprof({verb, trace.path(), "-n", "few"}),
                  "expected a whole number, not \"few\"");
    check_refused(run_deepprof({verb, trace.path(), "--fromat=csv"}),
                  "no option --fromat; did you mean --format?");
    check_refused(run_deepprof({verb}), "FILE is required");
    check_refused(run_deepprof({verb, trace.path(), "--format"}), "--format");
    if (verb == "report" || verb == "timeline") continue;  // their text is a page, not a table
    const ProgramResult unsorted = run_deepprof({verb, trace.path(), "-s", "gremlins"});
    check_refused(unsorted, "--sort: no column gremlins");
  }
}

TEST_CASE("a filter that names what the trace does not hold is refused by every verb") {
  const TemporaryFile trace(loop_trace());
  const std::vector<std::pair<Words, std::string>> kFaults{
      {{"--device", "7"}, "--device 7: the trace has no such device; there are 0"},
      {{"--device", "first"}, "--device: expected a whole number, not \"first\""},
      {{"--stream", "99"}, "--stream 99: the trace has no such stream; there are 7, 20"},
      {{"--iter", "9999"}, "--iter 9999: the trace has iterations 0 to "},
      {{"--iter", "3-1"}, "--iter 3-1: expected an iteration or a range such as 10-12"},
      {{"--section", "checkpoint"}, "--section checkpoint: no iteration is in such a section"},
      {{"--section", "trainig"}, "did you mean training?"},
      {{"--rank", "3"}, "--rank 3: the trace is of a job without ranks"},
      {{"--from", "50s"}, "--from 50s: the run lasts "},
      {{"--from", "soon"}, "--from soon: expected a time"},
      {{"--from", "1"}, "--from 1: nanoseconds of the trace's clock, which begins at "},
      {{"--from", "3ms", "--to", "2ms"}, "the end does not lie behind the beginning"},
      {{"--categories", "/nonexistent"}, "/nonexistent: cannot be read"},
  };
  for (const std::string& verb : kFigureVerbs) {
    for (const auto& [fault, says] : kFaults) {
      CAPTURE(verb, fault[0], fault[1]);
      Words arguments{verb, trace.path()};
      arguments.insert(arguments.end(), fault.begin(), fault.end());
      check_refused(run_deepprof(arguments), says);
    }
  }
}

TEST_CASE("iterations are asked for in vain where there are none") {
  const TemporaryFile trace(
      R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":10,"dur":5,)"
      R"("args":{"device":0,"stream":7}}]})");
  for (const std::string& verb : kFigureVerbs) {
    CAPTURE(verb);
    check_refused(run_deepprof({verb, trace.path(), "--iter", "0"}),
                  "--iter 0: no iteration structure found");
  }
}

TEST_CASE("input that is no trace is refused by every verb, and the file is named") {
  const TemporaryFile garbage("this is no trace"), empty(""), cut(loop_trace().substr(0, 2000));
  const std::string folder = empty.path() + ".folder";  // without a trace in it
  std::filesystem::create_directory(folder);
  for (const std::string& verb : all_verbs()) {
    CAPTURE(verb);
    check_refused(run_deepprof({verb, "/nonexistent"}),
                  "cannot open /nonexistent: No such file or directory");
    check_refused(run_deepprof({verb, garbage.path()}),
                  garbage.path() + " begins with \"this is no trace\"");
    check_refused(run_deepprof({verb, empty.path()}), empty.path() + " is empty (0 bytes)");
    // as one that is still being written
    check_refused(run_deepprof({verb, cut.path()}), cut.path());
    check_refused(run_deepprof({verb, folder}), folder);
  }
  std::filesystem::remove(folder);
}

TEST_CASE("a verb that is mistyped or missing is told with what there is") {
  check_refused(run_deepprof({"repotr"}),
                "no verb repotr; did you mean report? There are run, report, ");
  check_refused(run_deepprof({"-x"}), "expected a verb before -x; there are run, report, ");
  check_refused(run_deepprof({}), "expected a verb, one of run, report, ");
  check_refused(run_deepprof({"explain", "utilisation rate of it"}),
                "no term utilisation rate of it; deepprof explain lists all");
  check_refused(run_deepprof({"explain", "bandwith"}), "did you mean bandwidth?");
  check_refused(run_deepprof({"explain", "--format", "pdf"}), "--format: expected one of");
}

TEST_CASE("a filter that matches nothing prints the columns alone and ends with 2") {
  const TemporaryFile trace(loop_trace());
  for (const Words& arguments :
       std::vector<Words>{{"gaps", trace.path(), "--min", "10s"},
                          {"kernels", trace.path(), "--name", "gremlin"}}) {
    const ProgramResult text = run_deepprof(arguments);
    CHECK(text.exit_code == 2);
    CHECK(has(text.out, "no rows: "));
    Words csv = arguments;
    csv.insert(csv.end(), {"--format", "csv"});
    CHECK(run_deepprof(csv).exit_code == 2);
    CHECK(lines(run_deepprof(csv).out) == 1);
  }
}

TEST_CASE("a table without rows says why, to people in its place and to programs on stderr") {
  std::string alone = loop_trace();
  for (size_t at; (at = alone.find("ncclDevKernel_AllReduce_Sum")) != std::string::npos;)
    alone.replace(at, 27, "relu");
  const TemporaryFile trace(alone);
  const auto says = [&](Words arguments, const char* why) {
    arguments.insert(arguments.begin() + 1, trace.path());
    const ProgramResult text = run_deepprof(arguments);
    CAPTURE(arguments, text.out, text.err);
    CHECK(text.exit_code == 2);
    CHECK(has(text.out, std::string("no rows: ") + why));
    CHECK(lines(text.out) == 1);
    CHECK(text.err.empty());
    arguments.insert(arguments.end(), {"--format", "csv"});
    const ProgramResult csv = run_deepprof(arguments);
    CHECK(csv.exit_code == 2);
    CHECK(lines(csv.out) == 1);
    CHECK_FALSE(has(csv.out, "no rows"));
    CHECK(has(csv.err, why));
    CHECK(lines(csv.err) == 1);
  };
  says({"comm"}, "no communication kernel (NCCL, RCCL, ...) ran");
  says({"memory", "--largest"}, "no allocation is in this trace: record with DEEPPROF_MEMORY=1");
  says({"memory"}, "no allocation is in this trace");
  says({"gaps", "--min", "10s"}, "no gap is as long as --min says");
  says({"gaps", "--device", "0", "--min", "10s"}, "no gap is as long");
  says({"kernels", "--name", "gremlin"}, "no kernel matches --name");
  says({"device", "--steps"}, "no optimizer step was told of");
}

TEST_CASE("an export to SQLite that is interrupted leaves nothing under TMPDIR") {
  const TemporaryFile trace(loop_trace(1000));  // a database of more than a pipe and a buffer hold
  const std::filesystem::path folder = trace.path() + ".tmp";
  std::filesystem::create_directory(folder);
  int output[2];
  REQUIRE(::pipe(output) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(output[1], STDOUT_FILENO);
    ::setenv("TMPDIR", folder.c_str(), 1);
    const char* program = std::getenv("DEEPPROF_COMMAND");
    ::execlp(program, program, "export", trace.path().c_str(), "--to", "sqlite", nullptr);
    ::_exit(127);
  }
  ::close(output[1]);
  char first = 0;
  CHECK(::read(output[0], &first, 1) == 1);  // it copies the database, and waits for us to read on
  ::kill(child, SIGTERM);
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(output[0]);
  CHECK(WIFSIGNALED(status));
  CHECK(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

TEST_CASE("the number of an iteration in the place of the file is told where it belongs") {
  const TemporaryFile trace(loop_trace());
  check_refused(run_deepprof({"iter", "3", trace.path()}),
                "FILE comes first: deepprof iter FILE N");
  check_refused(run_deepprof({"iter", "3"}), "FILE comes first: deepprof iter FILE 3");
}

TEST_CASE("what a verb cannot honour is refused") {
  const TemporaryFile trace(loop_trace());
  for (const char* verb : {"report", "timeline"}) {
    check_refused(run_deepprof({verb, trace.path(), "-n", "3"}), "-n: the ");
    check_refused(run_deepprof({verb, trace.path(), "--sort", "idle"}), " is a page, not a table");
  }
  CHECK(run_deepprof({"report", trace.path(), "-n", "3", "--format", "csv"}).exit_code == 0);
  check_refused(run_deepprof({"iter", trace.path(), "3", "--iter", "5"}), "iteration 3 is shown");
  CHECK(run_deepprof({"iter", trace.path(), "--iter", "5"}).exit_code == 0);
}

TEST_CASE("a file that is there is not overwritten, and the way out is told") {
  const TemporaryFile trace(loop_trace());
  check_refused(run_deepprof({"kernels", trace.path(), "-o", trace.path()}),
                "File exists; give another name, or remove it first");
  check_refused(run_deepprof({"kernels", trace.path(), "-o", "/dev/full"}),
                "No space left on device");
  CHECK(std::filesystem::exists("/dev/full"));
  CHECK(run_deepprof({"kernels", trace.path(), "-o", "/dev/null"}).exit_code == 0);
  CHECK(std::filesystem::exists("/dev/null"));
}

TEST_CASE("an output file that cannot be made is refused before any work is done for it") {
  const TemporaryFile there("no trace at all");  // as input it would be refused, too, but later
  for (const Words& command : {Words{"kernels"},
                               {"report"},
                               {"export", "--to", "csv"},
                               {"import"},
                               {"recover"},
                               {"check"},
                               {"compare", there.path()}}) {
    for (const auto& [output, why] :
         {std::pair(there.path(), "File exists; give another name, or remove it first"),
          std::pair(std::string("/no/such/folder/out"), "No such file or directory")}) {
      Words words = command;
      words.insert(words.end(), {there.path(), "-o", output});
      CAPTURE(words);
      check_refused(run_deepprof(words), "cannot create " + output + ": " + why);
    }
  }
}

TEST_CASE("a stretch in which no whole iteration lies is said to be that") {
  const TemporaryFile trace(loop_trace());
  const Words stretch{trace.path(), "--from", "0s", "--to", "300us"};
  for (const char* verb : {"report", "kernels"}) {
    Words command{verb};
    command.insert(command.end(), stretch.begin(), stretch.end());
    const std::string text = run_deepprof(command).out;
    CAPTURE(text);
    CHECK(has(text, "no whole iteration lies in"));
    CHECK_FALSE(has(text, "no iteration"));
  }
}

TEST_CASE("the whole recording holds what there is, and says no more") {
  const TemporaryFile trace(loop_trace());
  const std::string text = run_deepprof({"gaps", trace.path()}).out;
  CHECK(has(text, "of the whole recording"));
  CHECK_FALSE(has(text, "included"));
}

TEST_CASE("an order for rows of which there are none is no fault") {
  const TemporaryFile trace(loop_trace());
  const ProgramResult none = run_deepprof({"operators", trace.path(), "-s", "own"});
  CHECK(none.exit_code == 2);
  CHECK(has(none.out, "no rows: no GPU op here was launched in an annotation"));
}

TEST_CASE("verbs of the counted iterations say so, and --whole-run is of everything") {
  const TemporaryFile trace(loop_trace());
  const Words verbs[] = {{"kernels"}, {"categories"}, {"gaps", "--by-cause"}};
  for (Words verb : verbs) {
    CAPTURE(verb[0]);
    verb.push_back(trace.path());
    const ProgramResult counted = run_deepprof(verb);
    CHECK(has(counted.out, "of 9 of 10 iterations; left out: the last one"));
    verb.emplace_back("--whole-run");
    const ProgramResult whole = run_deepprof(verb);
    CHECK(whole.exit_code == 0);
    CHECK(has(whole.out, "of the whole recording"));
    verb.insert(verb.end(), {"--iter", "3"});
    check_refused(run_deepprof(verb), "--whole-run with --iter");
  }
  check_refused(run_deepprof({"gaps", trace.path(), "--whole-run"}),
                "--whole-run goes with --by-cause");
  CHECK(has(run_deepprof({"gaps", "--help"}).out, "with --by-cause: of everything"));
  CHECK(has(run_deepprof({"kernels", trace.path(), "--whole-run", "--name", "sgemm"}).out, " 50 "));
  CHECK(has(run_deepprof({"kernels", trace.path(), "--iter", "3"}).out,
            "of 1 of 10 iterations, those that were asked for"));
}
