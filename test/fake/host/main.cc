// fake_host: a stand-in for a deep learning job. It "launches" what a recording holds, from as many
// threads, through the stand-in libcuda.so.1, and knows nothing of any profiler. It prints one
// fixed line to stdout, so that tests can prove that nobody else wrote there, and exits with 91 if
// its signal handling was changed.
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "test/fake/host/job.h"
#include "test/fake/host/options.h"
#include "test/fake/host/other_tool.h"
#include "test/fake/host/own_files.h"
#include "test/fake/host/processes.h"
#include "test/fake/host/ways_to_end.h"

extern "C" int cuInit(unsigned flags);
extern "C" int cuDeviceGetCount(int* count);

namespace deepprof::fake {
namespace {

struct SignalState {
  struct sigaction actions[32];
  sigset_t mask;
};

// Zeroed first, so that two states can be compared as bytes.
void read_signals(SignalState& state) {
  memset(&state, 0, sizeof state);
  for (int signal = 1; signal < 32; ++signal) sigaction(signal, nullptr, &state.actions[signal]);
  pthread_sigmask(SIG_SETMASK, nullptr, &state.mask);
}

bool same(const SignalState& a, const SignalState& b) {
  for (int signal = 1; signal < 32; ++signal) {
    if (a.actions[signal].sa_handler != b.actions[signal].sa_handler) return false;
    if (a.actions[signal].sa_flags != b.actions[signal].sa_flags) return false;
  }
  return memcmp(&a.mask, &b.mask, sizeof a.mask) == 0;
}

int run(int argc, char** argv) {
  const Options options = parse_options(argc, argv);
  recording::Recording recording;
  if (const std::string error = recording::read(options.recording, recording); !error.empty()) {
    fprintf(stderr, "fake_host: %s\n", error.c_str());
    return 2;
  }
  SignalState before, after;
  read_signals(before);
  if (cuInit(0) != 0) {
    fprintf(stderr, "fake_host: cuInit failed\n");
    return 2;
  }
  int devices = 0;
  cuDeviceGetCount(&devices);  // as CUDA's runtime does, whatever the job is about to do
  // Never destroyed: its threads may outlive main.
  static Job& job = *new Job(std::move(recording), options);
  job.start();
  OtherTool other(options, job);
  OwnFiles files(options);
  if (const int code = run_processes(options, job); code >= 0) return code;
  other.finish();
  job.wait();
  puts("fake_host: launched everything");
  fflush(stdout);
  read_signals(after);
  if (!same(before, after)) return 91;
  if (!files.finish()) return 93;
  return end_process(job, options);
}

}  // namespace
}  // namespace deepprof::fake

int main(int argc, char** argv) { return deepprof::fake::run(argc, argv); }
