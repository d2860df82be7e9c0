// What the usual iteration is made of, on jobs that are made of known layers and micro-steps.
#include "analysis/iterations/nested.h"

#include "analysis/iterations/mine.h"
#include "test/support/catch.h"
#include "test/support/model.h"

using namespace deepprof;
using namespace deepprof::test;

namespace {

// `count` launches that are all different and of no other part.
Launches distinct(int count, const std::string& part) {
  Launches launches;
  for (int i = 0; i < count; ++i) launches.push_back({.name = part + std::to_string(i)});
  return launches;
}

struct Shape {
  int layers = 12, forward = 18, backward = 36, micro_steps = 1;
  double noise = 0;
};

LabelledTrace training(const Shape& shape, int steps) {
  Job job(11, {.noise = shape.noise});
  const Launches before = distinct(5, "embed"), layer = distinct(shape.forward, "forward"),
                 loss = distinct(7, "loss"), back = distinct(shape.backward, "backward"),
                 update = distinct(3, "adam");
  const Launch feed{.name = "Memcpy HtoD", .kind = Kind::memcpy, .copy = CopyKind::host_to_device};
  for (int step = 0; step < steps; ++step) {
    job.begin_step();
    for (int micro = 0; micro < shape.micro_steps; ++micro) {
      job.run(feed);
      job.run(before);
      for (int i = 0; i < shape.layers; ++i) job.run(layer);
      job.run(loss);
      for (int i = 0; i < shape.layers; ++i) job.run(back);
    }
    job.run(update);
    job.end_step();
  }
  return job.finish("nested");
}

DeviceMined mined(const Shape& shape, int steps = 30) {
  const LabelledTrace trace = training(shape, steps);
  return mine(trace.trace).devices.at(0);
}

}  // namespace

TEST_CASE("layers of the forward and the backward pass are counted") {
  CHECK(nested_words(mined({}).nested) == "12 x layer of 18 ops, 12 x layer of 36 ops");
  CHECK(nested_words(mined({.layers = 80, .forward = 9, .backward = 14}).nested) ==
        "80 x layer of 9 ops, 80 x layer of 14 ops");
}

TEST_CASE("noise in every iteration does not hide the layers") {
  for (const double noise : {0.01, 0.02}) {
    CAPTURE(noise);
    CHECK(nested_words(mined({.noise = noise}, 40).nested) ==
          "12 x layer of 18 ops, 12 x layer of 36 ops");
  }
}

TEST_CASE("micro-steps of gradient accumulation hold their layers") {
  const DeviceMined answer = mined({.layers = 6, .forward = 10, .backward = 20, .micro_steps = 4});
  REQUIRE(answer.iterations.size() == 30);
  CHECK(nested_words(answer.nested) ==
        "4 x micro-step of 193 ops (each 6 x layer of 10 ops, 6 x layer of 20 ops)");
}

TEST_CASE("places and sizes of nested repeats lie within the iteration") {
  const DeviceMined answer = mined({});
  REQUIRE(answer.nested.size() == 2);
  CHECK(answer.nested[0].first <= 6);
  for (const Nested& repeat : answer.nested)
    CHECK(repeat.first + repeat.ops * repeat.count <= answer.ops_per_iteration);
}

TEST_CASE("words of nested repeats close what they open") {
  CHECK(nested_words({}).empty());
  CHECK(nested_words({{0, 0, 30, 4, NestedPart::micro_step},
                      {1, 0, 8, 2, NestedPart::layer},
                      {2, 0, 3, 2, NestedPart::layer}}) ==
        "4 x micro-step of 30 ops (each 2 x layer of 8 ops (each 2 x block of 3 ops))");
  CHECK(nested_words({{0, 0, 30, 4, NestedPart::layer},
                      {1, 0, 8, 2, NestedPart::layer},
                      {0, 9, 4, 2, NestedPart::update}}) ==
        "4 x layer of 30 ops (each 2 x layer of 8 ops), 2 x optimizer block of 4 ops");
}
