#include "test/support/hard_schedules.h"

#include "test/support/model.h"

namespace deepprof::test {
namespace {

// What a job does before its first iteration: weights are made and copied.
void set_up(Job& job, const Model& model) {
  const Launches initialise = draw_launches(job.random, job.random.between(5, 120), 12, "i");
  for (const Launch& launch : initialise) {
    job.run(launch);
    if (job.random.chance(.3)) job.run(model.feed);
  }
  job.host(5000);
}

// Other kernels are tried before each that the library has a choice of, alike in the first three
// steps.
Model tuned(Job& job, Model model) {
  for (Launches* part : {&model.layer, &model.layer_backward}) {
    Launches tried;
    for (const Launch& launch : *part) {
      const bool chosen = job.random.chance(.4);
      for (int i = 1; chosen && i < 4; ++i)
        tried.push_back({launch.name + "_algorithm" + std::to_string(i), launch.us * 2});
      tried.push_back(launch);
    }
    *part = std::move(tried);
  }
  return model;
}

}  // namespace

LabelledTrace noise(uint64_t seed, int per_mille) {
  Job job(seed, {.noise = per_mille / 1000.0});
  const Model model = usual_model(job);
  if (job.random.chance(.5)) set_up(job, model);
  train(job, model, draw_steps(job));
  return job.finish("noise");
}

LabelledTrace lost_buffers(uint64_t seed) {
  Job job(seed);
  train(job, usual_model(job), draw_steps(job) + 20);
  job.lose(job.random.between(2, 5), 100, 600);
  return job.finish("lost buffers");
}

LabelledTrace train_and_evaluate(uint64_t seed, int train_steps, int evaluation_steps) {
  Job job(seed, {.noise = 0.001});
  const Model model = usual_model(job);
  for (int epoch = 0; epoch < 3; ++epoch) {
    train(job, model, train_steps);
    for (int i = 0; i < evaluation_steps; ++i) evaluation_step(job, model);
  }
  return job.finish("train and evaluate");
}

LabelledTrace checkpoint(uint64_t seed) {
  Job job(seed);
  const Model model = usual_model(job);
  const int tensors = job.random.between(50, 400);
  for (int part = 0; part < 3; ++part) {
    train(job, model, 50);
    for (int i = 0; i < tensors; ++i) job.run(model.read_back), job.sync();
    job.host(20000);
  }
  return job.finish("checkpoint");
}

LabelledTrace autotuned(uint64_t seed) {
  Job job(seed);
  const Model model = usual_model(job);
  const Launches trials = draw_launches(job.random, 40, 30, "t");
  for (int i = 0, steps = draw_steps(job); i < steps; ++i) {
    Model tried = model;
    if (i < 3) {
      for (Launches* part : {&tried.layer, &tried.layer_backward}) {
        for (int at = static_cast<int>(part->size()); at > 0; --at) {
          if (job.random.chance(i == 0 ? .5 : .1))
            part->insert(part->begin() + at, trials.begin(),
                         trials.begin() + job.random.between(3, 40));
        }
      }
    }
    training_step(job, tried);
  }
  return job.finish("autotuned");
}

// A training script as tutorials have it: parameters are copied in, the next batch while this one
// is computed; evaluation and a checkpoint now and then and at the end.
LabelledTrace prefetched(uint64_t seed) {
  Job job(seed);
  Model model = usual_model(job);
  model.feed_gap = true;
  model.reads_loss = true;
  const Model trying = tuned(job, model);
  Model evaluated = model;
  for (Launch& launch : evaluated.layer) {
    if (job.random.chance(.2)) launch.name += "_inference";
  }
  const int parameters = job.random.between(50, 200), passes = job.random.between(2, 10);
  const auto copy_all = [&](const Launches& copy) {
    for (int i = 0; i < parameters; ++i) job.run(copy[0]);
  };
  copy_all(model.feed);
  const int epochs = job.random.between(2, 4), steps = job.random.between(20, 40);
  for (int step = 0; step < epochs * steps; ++step) {
    const Model& now = step < 3 ? trying : model;
    job.begin_step();
    forward(job, now, now.shape.layers);
    feed(job, now);
    backward(job, now, now.shape.layers);
    update(job, now);
    job.run(now.read_back);
    job.sync();
    job.end_step();
    if (step % steps != steps - 1) continue;
    for (int pass = 0; pass < passes; ++pass) {
      job.begin_step();
      forward(job, evaluated, evaluated.shape.layers);
      feed(job, evaluated);
      job.run(evaluated.read_back);
      job.sync();
      job.end_step();
    }
    if (job.random.chance(.5)) copy_all(model.read_back), job.sync();
  }
  return job.finish("prefetched");
}

LabelledTrace reinforcement(uint64_t seed) {
  Job job(seed);
  const Model model = usual_model(job, {.layers = 5});
  const int rollout = job.random.between(10, 40), epochs = job.random.between(2, 6);
  for (int i = 0; i < 12; ++i) {
    job.begin_step();
    for (int token = 0; token < rollout; ++token) {
      feed(job, model);
      forward(job, model, model.shape.layers);
      job.run(model.read_back);
      job.sync();
    }
    for (int epoch = 0; epoch < epochs; ++epoch) {
      forward(job, model, model.shape.layers);
      backward(job, model, model.shape.layers);
      update(job, model);
    }
    job.end_step();
  }
  return job.finish("reinforcement");
}

LabelledTrace few(uint64_t seed, int steps, int per_mille) {
  Job job(seed, {.noise = per_mille / 1000.0});
  train(job, usual_model(job), steps);
  return job.finish("few");
}

// A compiler makes kernels anew, numbered on, when shapes change: two or three times in a run.
LabelledTrace recompiled(uint64_t seed) {
  Job job(seed);
  Model model = usual_model(job);
  for (int made = 0, times = job.random.between(2, 3); made < times; ++made) {
    for (Launches* part : {&model.layer, &model.layer_backward}) {
      for (Launch& launch : *part) {
        const bool fused = launch.name.find("triton") != std::string::npos ||
                           launch.name.find("elementwise") != std::string::npos;
        if (fused) launch.name += "_" + std::to_string(made);
      }
    }
    train(job, model, draw_steps(job));
  }
  return job.finish("recompiled");
}

}  // namespace deepprof::test
