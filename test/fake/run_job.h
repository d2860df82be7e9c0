// Runs a job in a child process under an injected library and the stand-ins, and brings back all
// that the job's owner could see of it: how it ended, what it printed, what lies in its output
// folder; and the replay CUPTI's account.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "test/fake/cupti/account.h"

namespace deepprof::test {

struct JobSpec {
  std::string recording;
  std::vector<std::string> arguments;  // of fake_host, after the recording
  std::string cupti = "13.0";          // the folder cupti-VERSION
  std::string library;                 // injected; empty: none
  std::map<std::string, std::string> environment;
  // SIGKILL from outside once so many were delivered; 0: never
  uint64_t kill_after_records = 0;
  double give_up_after_s = 60;       // a job that hangs is killed and reported as hung
  std::vector<std::string> command;  // instead of fake_host
};

struct JobOutcome {
  bool hung = false;
  int exit_code = -1;  // -1: ended by a signal
  int signal = 0;
  double seconds = 0;
  std::string output, errors;        // stdout, stderr
  std::string folder;                // DEEPPROF_OUTPUT
  std::vector<std::string> traces;   // *.dprof in it, sorted
  std::vector<std::string> reports;  // *.report.txt in it, sorted
  long peak_rss_kib = 0;
  std::shared_ptr<const fake::Account> account;  // null: the job never used the replay CUPTI
};

// Folders of the build.
std::string fake_dir();
std::string fake_cupti(const std::string& version);  // the library's path
inline const char* const kFakeCuptiVersions[] = {"11.8", "12.9", "13.0", "13.4", "future"};
std::string bare_client();
std::string injected_library();  // libdeepprof_inject.so

JobOutcome run_job(const JobSpec& spec);

// A new empty folder, removed when the test program ends.
std::string scratch_folder();

}  // namespace deepprof::test
