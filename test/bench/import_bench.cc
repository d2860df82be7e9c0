// Speed and memory of the Kineto importer on a JSON of a given size, plain and gzipped.
//
//   bench_import [MEGABYTES] [FILE...]      default: 1000
//
// Without FILE a made trace in Kineto's own layout is written to $TMPDIR: training steps of
// operators with their shapes, launches, arrows and kernels with long names, as PyTorch 2 writes
// them with record_shapes. Each input is loaded in a process of its own, so that its peak memory is
// its own. DEEPPROF_KEEP=1 keeps the made files.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "analysis/import/load.h"
#include "libdeepprof/text.h"

namespace {

class TraceFile {
 public:
  explicit TraceFile(const std::string& path) : file_(std::fopen(path.c_str(), "w")) {
    put(R"({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"Modelled GPU","numSms":132}],)"
        R"("distributedInfo":{"rank":0,"world_size":8},"traceEvents":[)");
  }
  ~TraceFile() { std::fclose(file_); }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  void put(const std::string& text) {
    std::fwrite(text.data(), 1, text.size(), file_);
    bytes_ += text.size();
  }
  size_t bytes() const { return bytes_; }

 private:
  std::FILE* file_;
  size_t bytes_ = 0;
};

std::string operator_event(int kind, long at_ns, long id) {
  return deepprof::format_text(
      R"({"ph":"X","cat":"cpu_op","name":"aten::op_%d","pid":21587,"tid":21587,"ts":%ld.%03ld,"dur":5.74,"args":{)"
      R"("External id":%ld,"Record function id":0,"Concrete Inputs":["[]","4","","","False",""],"Input type":)"
      R"(["ScalarList","Scalar","","","Scalar",""],"Input Strides":[[16384,128,1],[],[]],"Input Dims":)"
      R"([[8,128,%d],[],[]],"Ev Idx":%ld}},)"
      "\n",
      kind, at_ns / 1000, at_ns % 1000, id, 64 * kind, id);
}

std::string launch_events(long at_ns, long id) {
  return deepprof::format_text(
      R"({"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":21587,"tid":21587,"ts":%ld.%03ld,"dur":4.421,)"
      R"("args":{"External id":%ld,"cbid":211,"correlation":%ld}},)"
      "\n"
      R"({"ph":"s","id":%ld,"pid":21587,"tid":21587,"ts":%ld.%03ld,"cat":"ac2g","name":"ac2g"},)"
      "\n",
      at_ns / 1000, at_ns % 1000, id, id, id, at_ns / 1000, at_ns % 1000);
}

std::string kernel_events(int kind, long at_ns, long id) {
  return deepprof::format_text(
      R"({"ph":"X","cat":"kernel","name":"void at::native::vectorized_elementwise_kernel<%d, at::native::CUDAFunctor_add<float>, )"
      R"x(std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)","pid":0,"tid":7,)x"
      R"("ts":%ld.%03ld,"dur":21.344,"args":{"External id":%ld,"queued":0,"device":0,"context":1,"stream":7,)"
      R"("correlation":%ld,"registers per thread":168,"shared memory":0,"blocks per SM":0.848485,"warps per SM":10.18,)"
      R"("grid":[%d,1,1],"block":[384,1,1],"est. achieved occupancy %%":16}},)"
      "\n"
      R"({"ph":"f","id":%ld,"pid":0,"tid":7,"ts":%ld.%03ld,"cat":"ac2g","name":"ac2g","bp":"e"},)"
      "\n",
      kind, at_ns / 1000, at_ns % 1000, id, id, 112 + kind, id, at_ns / 1000, at_ns % 1000);
}

void write_trace(const std::string& path, size_t bytes) {
  TraceFile file(path);
  long id = 1, at_ns = 1'419'116'105'356'596;
  while (file.bytes() < bytes) {
    for (int kind = 0; kind < 400; ++kind, ++id, at_ns += 23'101) {
      file.put(operator_event(kind, at_ns, 3 * id));
      file.put(operator_event(kind / 3, at_ns + 700, 3 * id + 1));
      file.put(launch_events(at_ns + 1'200, id));
      file.put(kernel_events(kind, at_ns + 9'000, id));
    }
    at_ns += 1'000'000;
  }
  file.put(operator_event(0, at_ns, 0).substr(0, operator_event(0, at_ns, 0).size() - 2) +
           R"(],"traceName":"trace.json","baseTimeNanoseconds":1751410836000000000})");
}

// In a child process: its peak memory is that of the load alone.
void measure(const std::string& path, double json_mb) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto start = std::chrono::steady_clock::now();
    const auto trace = deepprof::load_trace(path);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!trace.ok()) {
      std::printf("%s\n", std::string(trace.status().message()).c_str());
      std::exit(1);
    }
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const double cpu_seconds =
        static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
        1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    std::printf(
        "%-44s %6.0f MB JSON  %6.2f s  %5.2f s CPU  %5.0f MB/s of CPU  peak %5ld MB  %8zu ops %8zu "
        "calls %8zu ranges\n",
        path.c_str(), json_mb, seconds, cpu_seconds, json_mb / cpu_seconds, usage.ru_maxrss / 1024,
        trace->ops.size(), trace->calls.size(), trace->ranges.size());
    std::exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
}

double megabytes_of(const std::string& path) {
  const std::string command =
      path.ends_with(".gz") ? "gzip -dc '" + path + "' | wc -c" : "wc -c < '" + path + "'";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  double bytes = 0;
  if (pipe == nullptr || std::fscanf(pipe, "%lf", &bytes) != 1) bytes = 0;
  if (pipe != nullptr) ::pclose(pipe);
  return bytes / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 2) {
    for (int i = 2; i < argc; ++i) measure(argv[i], megabytes_of(argv[i]));
    return 0;
  }
  const double megabytes = argc > 1 ? std::atof(argv[1]) : 1000;
  const char* folder = std::getenv("TMPDIR");
  const std::string path =
      std::string(folder != nullptr ? folder : "/tmp") + "/deepprof_bench_import.json";
  write_trace(path, static_cast<size_t>(megabytes * 1e6));
  if (std::system(("gzip -kf1 '" + path + "'").c_str()) != 0) return 1;
  for (int round = 0; round < 3; ++round) {
    measure(path, megabytes);
    measure(path + ".gz", megabytes);
  }
  if (std::getenv("DEEPPROF_KEEP") != nullptr) return 0;
  ::unlink(path.c_str());
  ::unlink((path + ".gz").c_str());
}
