#include "analysis/online/mine_stretch.h"

#include "test/online/job.h"
#include "test/support/catch.h"

using namespace deepprof;
using deepprof::test::Job;
using deepprof::test::training_step;

namespace {

constexpr NameId kCopy = 1;  // the first op of a training step, and of no other place

Job job_with_copies() {
  Job job(1, 0);
  job.run(training_step(12), 40);
  for (Event& op : job.events)
    if (op.name == kCopy) op.set_kind(Kind::memcpy, false);
  return job;
}

std::vector<std::string> names() {
  std::vector<std::string> names{""};
  while (names.size() <= 120) names.push_back("kernel_" + std::to_string(names.size()));
  return names;
}

std::vector<Detail> copies_to_device() {
  std::vector<Detail> copies(kCopy + 1);
  copies[kCopy].copy_kind = CopyKind::host_to_device;
  return copies;
}

}  // namespace

TEST_CASE("what copies of a name move between helps to find the iterations of a stretch") {
  const Job job = job_with_copies();
  const MinedStretch found = mine_stretch(job.events, names(), copies_to_device(), 0);
  CHECK(found.verdict == Verdict::iteration);
  CHECK(found.decided_by.find("input copy") != std::string::npos);
  CHECK(found.tiles.size() >= 39);
  CHECK(found.confidence > mine_stretch(job.events, names(), {}, 0).confidence);
}

TEST_CASE("a copy of a few bytes is told from one of data") {
  Job job = job_with_copies();
  for (Event& op : job.events)
    if (op.name == kCopy) op.set_kind(Kind::memcpy, true);
  CHECK(mine_stretch(job.events, names(), copies_to_device(), 0).decided_by.find("input copy") ==
        std::string::npos);
}

TEST_CASE("ops without correlation ids are mined in the order of their starts") {
  Job job = job_with_copies();
  for (Event& op : job.events) op.correlation = 0;
  const MinedStretch found = mine_stretch(job.events, names(), copies_to_device(), 0);
  CHECK(found.verdict == Verdict::iteration);
  CHECK(found.tiles.size() >= 39);
}
