#include "libdeepprof/sample/sampler.h"

#include <map>
#include <new>
#include <string>
#include <thread>

#include "test/support/catch.h"

namespace deepprof {
namespace {

constexpr int64_t kSecond_ns = 1'000'000'000;

struct Counts {
  std::atomic<int> asked{0};
  std::atomic<bool> blocks{false};
};

class CountingSource final : public SampleSource {
 public:
  explicit CountingSource(Counts& counts) : counts_(counts) {}
  int64_t sample(SampleSink& sink) override {
    ++counts_.asked;
    sink.put(Metric::process_cpu, kHostDevice, monotonic_ns(), 1);
    while (counts_.blocks) counts_.blocks.wait(true);
    return kEveryTick;
  }

 private:
  Counts& counts_;
};

std::function<Sampler::Sources()> one(Counts& counts) {
  return [&counts] {
    Sampler::Sources sources;
    sources.push_back(std::make_unique<CountingSource>(counts));
    return sources;
  };
}

bool start(Sampler& sampler) { return sampler.start("sampler", WorkerThread::Descriptors::jobs); }

size_t samples_in(DefinitionLog& log) {
  size_t count = 0;
  for (const Definition& definition : log.take()) {
    if (const auto* batch = std::get_if<SampleBatch>(&definition)) count += batch->samples.size();
  }
  return count;
}

class FailingSource final : public SampleSource {
 public:
  int64_t sample(SampleSink&) override { throw std::bad_alloc(); }
};

// More than may wait, all in one tick.
class FloodingSource final : public SampleSource {
 public:
  int64_t sample(SampleSink& sink) override {
    for (size_t i = 0; i <= SampleSink::kMostWaiting; ++i)
      sink.put(Metric::gpu_power, 0, monotonic_ns(), 1);
    return kEveryTick;
  }
};

// Not due again as long as a test runs.
class SeldomSource final : public SampleSource {
 public:
  explicit SeldomSource(std::atomic<int>& asked) : asked_(asked) {}
  int64_t sample(SampleSink&) override {
    ++asked_;
    return monotonic_ns() + 3600 * kSecond_ns;
  }

 private:
  std::atomic<int>& asked_;
};

// What a sampler of `source` that runs to its end leaves in the trace.
std::map<std::string, std::string> facts_of(std::unique_ptr<SampleSource> source) {
  RecordsClock clock;
  DefinitionLog log;
  SampleAccount account;
  const auto make = [&source] {
    Sampler::Sources sources;
    sources.push_back(std::move(source));
    return sources;
  };
  Sampler sampler(3600 * kSecond_ns, make, SampleSink(clock, {}, log, account));
  REQUIRE(start(sampler));
  sampler.stop();
  REQUIRE(sampler.finished(monotonic_ns() + 60 * kSecond_ns));
  std::map<std::string, std::string> facts;
  for (const Definition& definition : log.take()) {
    if (const auto* fact = std::get_if<FactDefinition>(&definition)) facts[fact->key] = fact->value;
  }
  return facts;
}

}  // namespace

TEST_CASE("a source is asked when it is due, and at the last tick") {
  RecordsClock clock;
  DefinitionLog log;
  SampleAccount account;
  Counts counts;
  std::atomic<int> asked{0};
  const auto make = [&] {
    Sampler::Sources sources;
    sources.push_back(std::make_unique<SeldomSource>(asked));
    sources.push_back(std::make_unique<CountingSource>(counts));
    return sources;
  };
  Sampler sampler(1'000'000, make, SampleSink(clock, {}, log, account));
  REQUIRE(start(sampler));
  while (counts.asked < 20) std::this_thread::yield();
  CHECK(asked == 1);
  sampler.stop();
  REQUIRE(sampler.finished(monotonic_ns() + 60 * kSecond_ns));
  CHECK(asked == 2);
}

TEST_CASE("a sampler that runs out of memory says that the samples end there") {
  CHECK(facts_of(std::make_unique<FailingSource>()).at("na.sampling") == "ended: out of memory");
}

TEST_CASE("what is dropped at the end is told, too") {
  const std::map<std::string, std::string> facts = facts_of(std::make_unique<FloodingSource>());
  CHECK(std::stoul(facts.at("samples_dropped")) % (SampleSink::kMostWaiting + 1) == 0);
  CHECK(facts.count("na.sampling") == 0);
}

TEST_CASE("a sampler samples when it starts and once more when it is stopped") {
  Counts counts;
  RecordsClock clock;
  DefinitionLog log;
  SampleAccount account;
  Sampler sampler(3600 * kSecond_ns, one(counts), SampleSink(clock, {}, log, account));
  REQUIRE(start(sampler));
  while (counts.asked == 0) {}
  sampler.stop();
  REQUIRE(sampler.finished(monotonic_ns() + 60 * kSecond_ns));
  CHECK(counts.asked == 2);
  CHECK(samples_in(log) == 2);
}

TEST_CASE("nobody waits longer than told for a source that blocks") {
  static Counts counts;  // the thread is left alone in it
  static RecordsClock clock;
  static DefinitionLog log;
  static SampleAccount account;
  static Sampler sampler(kSecond_ns, one(counts), SampleSink(clock, {}, log, account));
  counts.blocks = true;
  REQUIRE(start(sampler));
  while (counts.asked == 0) {}
  sampler.stop();
  CHECK_FALSE(sampler.finished(monotonic_ns() + kSecond_ns / 100));
  counts.blocks = false;
  counts.blocks.notify_all();
  CHECK(sampler.finished(monotonic_ns() + 60 * kSecond_ns));
}

TEST_CASE("samples that nobody takes are bounded, and the dropped ones counted") {
  RecordsClock clock;
  DefinitionLog log;
  SampleAccount account;
  SampleSink sink(clock, {}, log, account);
  const auto tick = [&] {
    for (int i = 0; i < 1000; ++i) sink.put(Metric::gpu_power, 0, monotonic_ns(), 1);
    sink.flush();
  };
  for (int i = 0; i < 100; ++i) tick();
  CHECK(samples_in(log) == 65'000);
  tick();
  std::string told;
  for (const Definition& definition : log.take()) {
    if (const auto* fact = std::get_if<FactDefinition>(&definition))
      told = fact->key + "=" + fact->value;
  }
  CHECK(told == "samples_dropped=35000");
}

TEST_CASE("sample times are in the clock of the GPU records") {
  RecordsClock clock;
  clock.set({1'700'000'000 * kSecond_ns, 50 * kSecond_ns, 7'000 * kSecond_ns});
  CHECK(clock.of(51 * kSecond_ns) == 7'001 * kSecond_ns);
  // CUPTI does not tell: the wall clock
  clock.set({1'700'000'000 * kSecond_ns, 50 * kSecond_ns, 0});
  CHECK(clock.of(51 * kSecond_ns) == 1'700'000'001 * kSecond_ns);
}

}  // namespace deepprof
