#include "test/support/hard_negatives.h"

#include "test/support/model.h"

namespace deepprof::test {

LabelledTrace random_ops(uint64_t seed) {
  Job job(seed);
  const Launches names = draw_launches(job.random, 60, 60, "r");
  for (int i = 0; i < 6000; ++i) job.run(names[job.random.next() % names.size()]);
  return job.finish("random");
}

LabelledTrace markov(uint64_t seed) {
  Job job(seed);
  const Launches names = draw_launches(job.random, 40, 40, "r");
  size_t state = 0;
  for (int i = 0; i < 6000; ++i) {
    job.run(names[state]);
    state =
        job.random.chance(.8) ? (state * 7 + 3) % names.size() : job.random.next() % names.size();
  }
  return job.finish("markov");
}

LabelledTrace one_forward(uint64_t seed) {
  Job job(seed);
  evaluation_step(job, draw_model(job.random, {.layers = job.random.between(8, 48)}));
  return job.finish("one forward pass");
}

// Each layer reads back which experts it needs; the host waits for that inside CUDA.
LabelledTrace one_forward_of_experts(uint64_t seed) {
  Job job(seed);
  const Model model =
      draw_model(job.random, {.least_layer = 20, .most_layer = 40, .layer_sync = true});
  const Launches beginning = draw_launches(job.random, job.random.between(1, 3), 3, "b"),
                 end = draw_launches(job.random, job.random.between(1, 5), 3, "e");
  if (job.random.chance(.5)) job.run(model.feed);
  job.run(beginning);
  for (int i = 0, layers = job.random.between(8, 48); i < layers; ++i) job.run(model.layer);
  job.run(end);
  return job.finish("one forward pass of experts");
}

// A window into the forward pass of a model whose parameters stay on the host: those of each half
// of a layer are copied in before it.
LabelledTrace offloaded(uint64_t seed) {
  Job job(seed);
  const Model model = draw_model(job.random, {.layers = 1});
  Launch parameters = model.feed[0];
  parameters.copy = CopyKind::host_to_device;
  parameters.us = 80.0 * static_cast<double>(model.layer.size());
  const auto half = static_cast<std::ptrdiff_t>(model.layer.size() / 2);
  const int layers = job.random.between(10, 40), tensors = job.random.between(1, 4);
  const bool halves = job.random.chance(.5);
  for (int layer = 0; layer < layers; ++layer) {
    for (int i = 0; i < tensors; ++i) job.run(parameters);
    job.run(Launches(model.layer.begin(), model.layer.begin() + half));
    for (int i = 0; halves && i < tensors; ++i) job.run(parameters);
    job.run(Launches(model.layer.begin() + half, model.layer.end()));
  }
  return job.finish("offloaded");
}

LabelledTrace one_training_step(uint64_t seed) {
  Job job(seed);
  training_step(job, draw_model(job.random, {.layers = job.random.between(8, 48)}));
  return job.finish("one training step");
}

LabelledTrace one_off(uint64_t seed) {
  Job job(seed);
  const Model model = usual_model(job);
  for (int i = 0; i < 40; ++i) {
    job.run(draw_launches(job.random, job.random.between(3, 60), 30, std::to_string(i).c_str()));
    if (job.random.chance(.3)) job.run(model.feed);
    if (job.random.chance(.3)) job.run(model.read_back), job.sync();
  }
  return job.finish("one-off ops");
}

}  // namespace deepprof::test
