// Whatever the verbs print as a heading, a label or a column must be found by `deepprof explain`: a
// new column without a term fails here. Verbs are taken from the command's own help, so a new verb
// fails, too.
#include <cctype>
#include <map>
#include <set>

#include "analysis/model/dprof.h"
#include "analysis/report/terms/terms.h"
#include "libdeepprof/event/metric.h"
#include "libdeepprof/trace/writer.h"
#include "test/cli/run_program.h"
#include "test/import/temporary_file.h"
#include "test/support/catch.h"
#include "test/support/trace_builder.h"
#include "test/trace/temporary_folder.h"
#include "test/trace/write_trace_file.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

using Words = std::set<std::string>;

void put(Trace& trace, int64_t time_ns, Metric metric, uint32_t device, double value) {
  trace.samples.push_back({time_ns, value, trace.names.intern(metric_name(metric)), device});
}

// Two GPUs of one job, with everything that has a line of its own: copies, fills, communication,
// synchronize calls, a wait for the host, a slow iteration, optimizer steps, and samples of GPUs,
// process and machine.
Trace training() {
  TraceBuilder t(1'000'000);
  t.raw().allocations.push_back(
      {t.at(5), 0x1000, 512, 512, 1, 0, AllocationKind::device, AllocationStep::allocate});
  for (uint16_t device = 0; device < 2; ++device) {
    t.device(device).thread(device);
    int64_t at = 10 * device;
    for (int step = 0; step < 30; ++step, at += 1'000) {
      if (step == 17) at += 4'000;
      t.launch("cudaMemcpyAsync", at + 1, at + 2)
          .stream(7)
          .copy(CopyKind::host_to_device, at + 3, at + 10, 4096);
      t.launch("cudaMemsetAsync", at + 2, at + 3).memset(at + 10, at + 12);
      t.range(RangeSource::framework_op, "aten::mm", at + 3, at + 9);
      for (int op = 0; op < 6; ++op) {
        t.launch("cudaLaunchKernel", at + op + 3, at + op + 4);
        t.kernel("gemm_" + std::to_string(op), at + 20 + op * 110, at + 120 + op * 110);
      }
      t.launch("cudaLaunchKernel", at + 10, at + 11)
          .stream(20)
          .kernel("ncclDevKernel_AllReduce_Sum", at + 600, at + 720 + device);
      t.launch("cudaLaunchKernel", at + 11, at + 12)
          .stream(7)
          .kernel("multi_tensor_apply_kernel<adam>", at + 730, at + 760);
      t.call("cudaStreamSynchronize", at + 20, at + 780);
    }
  }
  Trace trace = t.build();
  trace.process.rank = 0;
  trace.process.world_size = 4;
  trace.devices = {{0, "GPU", 108, 80'000'000'000, 8, 0, 2048},
                   {1, "GPU", 108, 80'000'000'000, 8, 0, 2048}};
  trace.process.facts = {{"batch", "64"}, {"na.cpu_temperature_c", "no sensor"}};
  const int64_t start_ns = trace.ops.front().start_ns;
  for (int64_t tick = -5; tick < 350; ++tick) {
    const int64_t time_ns = start_ns + tick * 100'000'000;
    const double value = 1000.0 * static_cast<double>(tick + 6);  // grows, as counters do
    for (const MetricInfo& metric : metrics()) {
      if (metric.scope == MetricScope::host) put(trace, time_ns, metric.metric, kNone, value);
      if (metric.scope == MetricScope::thread) put(trace, time_ns, metric.metric, 0, value);
      for (uint32_t gpu = 0; metric.scope == MetricScope::gpu && gpu < 3; ++gpu)
        put(trace, time_ns, metric.metric, gpu, gpu == 2 ? 0 : value);
    }
    if (tick % 10 == 0) put(trace, time_ns, Metric::optimizer_step, 0, 1e6);
  }
  trace.finish();
  return trace;
}

Trace host_run() {
  Trace trace = training();
  trace.ops.clear();
  trace.calls.clear();
  trace.process.facts.emplace_back("recorded", "host");
  trace.finish();
  return trace;
}

class Inputs {
  TemporaryFolder folder_;  // before the files that lie in it

 public:
  std::string job = write("job", training()), other = write("other", training()),
              host = write("host", host_run());

 private:
  std::string write(const std::string& name, const Trace& trace) {
    return write_trace_file(folder_ / (name + ".dprof"), trace);
  }
};

// What verbs that print figures are asked for, besides the file. The others' output has no columns
// to explain.
const std::map<std::string, std::vector<std::vector<std::string>>> kPrinting{
    {"report", {{}}},
    {"iterations", {{}}},
    {"gaps", {{}, {"--by-cause"}, {"--rule", "hta"}}},
    {"iter", {{}}},
    {"kernels", {{}}},
    {"categories", {{}}},
    {"operators", {{}}},
    {"streams", {{}}},
    {"memcpy", {{}, {"--sizes"}}},
    {"sync", {{}}},
    {"memory", {{}, {"--largest"}, {"--iterations"}, {"--series"}}},
    {"comm", {{}, {"--ranks"}, {"--each"}}},
    {"device", {{}, {"--series"}, {"--steps"}}},
    {"timeline", {{}}},
    {"info", {{}}},
    {"check", {{}}}};
const Words kWithoutFigures{"run",  "top",     "recover", "import", "export",
                            "plot", "explain", "doctor",  "compare"};

Words verbs() {
  Words found;
  const std::string help = run_deepprof({"--help"}).out;
  bool listed = false;
  for (size_t at = 0; at < help.size();) {
    const size_t end = std::min(help.find('\n', at), help.size());
    const std::string line = help.substr(at, end - at);
    at = end + 1;
    if (line == "Subcommands:") listed = true;
    else if (listed && line.size() > 2 && line.substr(0, 2) == "  " && line[2] != ' ')
      found.insert(line.substr(2, line.find(' ', 2) - 2));
    else if (listed && !line.empty() && line[0] != ' ') listed = false;
  }
  return found;
}

std::string trimmed(std::string text) {
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

Words split(const std::string& text, const std::string& separator) {
  Words parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    if (const std::string part = trimmed(text.substr(at, end - at)); !part.empty())
      parts.insert(part);
    at = end + separator.size();
  }
  return parts;
}

// Of the tables of one output: the line before each rule of Markdown, the first line of each CSV
// table.
Words columns_of(const std::string& out, const std::string& separator) {
  Words columns;
  std::string before;
  bool first = true;
  for (size_t at = 0; at < out.size();) {
    const size_t end = std::min(out.find('\n', at), out.size());
    const std::string line = out.substr(at, end - at);
    at = end + 1;
    const bool names =
        separator == "," ? first : line.substr(0, 2) == "|:" || line.substr(0, 2) == "|-";
    if (names) columns.merge(split(separator == "," ? line : before, separator));
    first = line.empty();
    before = line;
  }
  return columns;
}

// "RANKS   2, 30 collectives matched" -> RANKS; "  straggler  GPU 1 came ..." -> straggler.
Words labels_of(const std::string& page) {
  Words labels;
  for (size_t at = 0; at < page.size();) {
    const size_t end = std::min(page.find('\n', at), page.size());
    const std::string line = page.substr(at, end - at);
    at = end + 1;
    const bool heading =
        line.size() > 1 && line[0] >= 'A' && line[1] >= 'A' && line[0] <= 'Z' && line[1] <= 'Z';
    const bool label = line.size() > 3 && line.substr(0, 2) == "  " &&
                       std::isalpha(static_cast<unsigned char>(line[2])) != 0;
    if (!heading && !label) continue;
    std::string words = trimmed(line.substr(0, std::min(line.find("  ", 2), line.size())));
    const size_t figure = words.find_first_of("0123456789");
    if (figure != std::string::npos)
      words = trimmed(words.substr(0, figure));  // "GPU 0", "GPU busy 87.9 %"
    if (words.size() <= 40) labels.insert(words);
  }
  return labels;
}

Words unexplained(const Words& words) {
  Words missing;
  for (const std::string& word : words) {
    if (find_exact_term(word) == nullptr) missing.insert(word);
  }
  return missing;
}

}  // namespace

TEST_CASE("every verb either prints figures, whose columns are checked below, or none") {
  const Words known = verbs();
  REQUIRE(known.size() > 20);
  for (const std::string& verb : known) {
    INFO(verb);
    CHECK(kPrinting.count(verb) + kWithoutFigures.count(verb) == 1);
  }
}

TEST_CASE("every column of every table, for programs and for people, has a term") {
  const Inputs inputs;
  for (const auto& [verb, variants] : kPrinting) {
    for (const std::vector<std::string>& variant : variants) {
      for (const char* format : {"csv", "markdown"}) {
        std::vector<std::string> command{verb, inputs.job, "--format", format};
        command.insert(command.end(), variant.begin(), variant.end());
        const ProgramResult result = run_deepprof(command);
        INFO(verb << " " << (variant.empty() ? "" : variant[0]) << " " << format << " "
                  << result.err);
        REQUIRE(result.exit_code == 0);
        const Words columns = columns_of(result.out, std::string(format) == "csv" ? "," : "|");
        if (verb != "report" && verb != "timeline") CHECK_FALSE(columns.empty());
        CHECK(unexplained(columns) == Words{});
      }
    }
  }
}

TEST_CASE("tables of ours that are given back as traces are told to be that") {
  const Inputs inputs;
  for (const auto& [verb, variants] : kPrinting) {
    for (const std::vector<std::string>& variant : variants) {
      for (const char* format : {"csv", "markdown", "text", "json"}) {
        if (verb == "timeline" && std::string(format) == "text") continue;  // a drawing
        std::vector<std::string> command{verb, inputs.job, "--format", format};
        command.insert(command.end(), variant.begin(), variant.end());
        const TemporaryFile table(run_deepprof(command).out);
        const ProgramResult refused = run_deepprof({"report", table.path()});
        INFO(verb << " " << (variant.empty() ? "" : variant[0]) << " " << format);
        CAPTURE(refused.err);
        CHECK(refused.exit_code == 1);
        CHECK(has(refused.err, "which is not read back: give the trace that it was made from"));
      }
    }
  }
  for (const char* foreign : {"time,name,value\n1,2,3\n", "name  size  owner\na  1  b\n",
                              "| file | lines |\n|---|---|\n| a | 3 |\n"}) {
    const TemporaryFile table(foreign);
    CHECK(has(run_deepprof({"report", table.path()}).err, "expected one of"));
  }
}

TEST_CASE("every column of a comparison and of a sweep has a term") {
  const Inputs inputs;
  for (const std::vector<std::string>& variant :
       std::vector<std::vector<std::string>>{{}, {"--by", "batch"}, {"--price", "GPU=2"}}) {
    for (const char* format : {"csv", "markdown"}) {
      std::vector<std::string> command{"compare", inputs.job, inputs.other, "--format", format};
      command.insert(command.end(), variant.begin(), variant.end());
      const ProgramResult result = run_deepprof(command);
      INFO(result.err);
      REQUIRE(result.exit_code == 0);
      Words columns = columns_of(result.out, std::string(format) == "csv" ? "," : "|");
      columns.erase("job");  // the runs' own names
      columns.erase("other");
      CHECK(unexplained(columns) == Words{});
    }
  }
}

TEST_CASE("every heading and label of the page has a term, with a GPU and without") {
  const Inputs inputs;
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"report", inputs.job},
                                             {"report", inputs.job, "--stream", "7"},
                                             {"report", inputs.host}}) {
    const ProgramResult result = run_deepprof(command);
    INFO(result.out << result.err);
    REQUIRE(result.exit_code == 0);
    CHECK(unexplained(labels_of(result.out)) == Words{});
  }
}
