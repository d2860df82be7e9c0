#include "test/end_to_end/jobs.h"

#include <fstream>
#include <sstream>

#include "test/fake/workload/resnet.h"
#include "test/support/catch.h"

namespace deepprof::test {

const std::string& small_job() {
  static const std::string path = [] {
    fake::ResnetOptions options;
    options.iterations = 12;
    options.evaluate_every = 6;
    options.evaluation_batches = 2;
    options.checkpoint_every = 8;
    std::string file = scratch_folder() + "/small.rec";
    REQUIRE(recording::write(file, fake::model_resnet(options).recording).empty());
    return file;
  }();
  return path;
}

JobSpec injected(const std::string& cupti) {
  JobSpec spec;
  spec.recording = small_job();
  spec.cupti = cupti;
  spec.library = injected_library();
  spec.environment = {{"DEEPPROF_API", "all"}};
  return spec;
}

void require_unharmed(const JobOutcome& job) {
  INFO(job.errors);
  REQUIRE_FALSE(job.hung);
  REQUIRE(job.signal == 0);
  REQUIRE(job.exit_code == 0);
  REQUIRE(job.output == "fake_host: launched everything\n");
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

double longest_run_s(const std::vector<std::string>& arguments) {
  JobSpec plain = injected();
  plain.arguments = arguments;
  plain.library.clear();
  return 5 + 10 * run_job(plain).seconds;
}

}  // namespace deepprof::test
