#include "test/support/hard_steps.h"

#include "test/support/model.h"

namespace deepprof::test {

LabelledTrace ddp(uint64_t seed, bool launch_order) {
  Job job(seed, {.noise = 0.001, .correlations = launch_order, .jitter = 300});
  train(job, usual_model(job, {.all_reduce = true}), draw_steps(job));
  return job.finish("ddp");
}

LabelledTrace flat(uint64_t seed) {
  Job job(seed, {.noise = 0.01});
  const Model model = usual_model(job);
  Launches pattern;
  for (int i = 0; i < 50; ++i)
    pattern.push_back(draw_launches(job.random, 1, 1, std::to_string(i).c_str())[0]);
  for (int i = 0, steps = 100; i < steps; ++i) {
    job.begin_step();
    feed(job, model);
    job.run(pattern);
    job.end_step();
  }
  return job.finish("flat");
}

LabelledTrace buckets(uint64_t seed, bool same_length) {
  Job job(seed, {.noise = 0.001});
  const Model base = usual_model(job);
  std::vector<Model> variants(8, base);
  for (int bucket = 0; bucket < 8; ++bucket) {
    Model& model = variants[static_cast<size_t>(bucket)];
    for (Launches* part : {&model.layer, &model.layer_backward}) {
      for (Launch& launch : *part) {
        if (launch.name.find("gemm") != std::string::npos || job.random.chance(.2))
          launch.name += "_tile" + std::to_string(bucket);
      }
      if (!same_length) {
        for (int i = 0; i < bucket * static_cast<int>(part->size()) / 16; ++i)
          part->push_back((*part)[job.random.next() % part->size()]);
      }
    }
  }
  for (int i = 0, steps = draw_steps(job) + 30; i < steps; ++i)
    training_step(job, variants[job.random.next() % 8]);
  return job.finish("buckets");
}

LabelledTrace rnn(uint64_t seed) {
  Job job(seed);
  Model model = usual_model(job, {.least_layer = 4, .most_layer = 10});
  for (int i = 0, steps = draw_steps(job); i < steps; ++i) {
    model.shape.layers = job.random.between(10, 60);
    training_step(job, model);
  }
  return job.finish("rnn");
}

LabelledTrace accumulation(uint64_t seed, int micro_steps, bool names) {
  Job job(seed);
  const Model model = usual_model(job, {.layers = 6, .optimizer_names = names});
  for (int i = 0, steps = draw_steps(job); i < steps; ++i) {
    job.begin_step();
    for (int micro = 0; micro < micro_steps; ++micro) {
      feed(job, model);
      forward(job, model, model.shape.layers);
      backward(job, model, model.shape.layers);
    }
    update(job, model);
    job.end_step();
  }
  return job.finish("accumulation");
}

LabelledTrace equal_layers(uint64_t seed, int layers, int per_mille) {
  Job job(seed, {.noise = per_mille / 1000.0});
  const Model model = draw_model(job.random, {.layers = layers, .most_layer = 16});
  const bool training = job.random.chance(.5);
  for (int i = 0, steps = job.random.between(8, 24); i < steps; ++i) {
    training ? training_step(job, model) : evaluation_step(job, model);
  }
  return job.finish("equal layers");
}

LabelledTrace gan(uint64_t seed, int critic_steps) {
  Job job(seed);
  const Model critic = usual_model(job), generator = usual_model(job);
  for (int i = 0, steps = draw_steps(job); i < steps; ++i) {
    job.begin_step();
    for (int d = 0; d < critic_steps; ++d) {
      feed(job, critic);
      forward(job, generator, generator.shape.layers);
      forward(job, critic, critic.shape.layers);
      backward(job, critic, critic.shape.layers);
      update(job, critic);
    }
    forward(job, generator, generator.shape.layers);
    forward(job, critic, critic.shape.layers);
    backward(job, critic, critic.shape.layers);
    backward(job, generator, generator.shape.layers);
    update(job, generator);
    job.end_step();
  }
  return job.finish("gan");
}

LabelledTrace amp_skip(uint64_t seed) {
  Job job(seed);
  const Model model = usual_model(job);
  const Launches check = draw_launches(job.random, 3, 3, "s");
  for (int i = 0, steps = draw_steps(job); i < steps; ++i) {
    job.begin_step();
    feed(job, model);
    forward(job, model, model.shape.layers);
    backward(job, model, model.shape.layers);
    job.run(check);
    job.run(model.read_back);  // found_inf
    job.sync();
    if (i > 2 && !job.random.chance(.12)) job.run(model.update);
    job.run(model.clear);
    job.end_step();
  }
  return job.finish("amp skip");
}

LabelledTrace experts(uint64_t seed) {
  Job job(seed, {.noise = 0.001});
  const Model model = usual_model(job, {.layer_sync = true});
  const bool training = job.random.chance(.5);
  for (int i = 0, steps = draw_steps(job); i < steps; ++i)
    training ? training_step(job, model) : evaluation_step(job, model);
  return job.finish("experts");
}

LabelledTrace graphs(uint64_t seed) {
  Job job(seed);
  const Model model = usual_model(job);
  Launches graph = model.before;
  for (int i = 0; i < model.shape.layers; ++i)
    graph.insert(graph.end(), model.layer.begin(), model.layer.end());
  graph.insert(graph.end(), model.after.begin(), model.after.end());
  for (int i = 0, steps = draw_steps(job); i < steps; ++i) {
    job.begin_step();
    feed(job, model);
    job.run_graph(graph);
    if (model.reads_loss) job.run(model.read_back), job.sync();
    job.end_step();
  }
  return job.finish("cuda graphs");
}

// A stage of a pipeline: forward and backward passes of micro-batches take turns, sent and received
// between them.
LabelledTrace pipeline(uint64_t seed) {
  Job job(seed, {.noise = 0.001});
  const Model model = usual_model(job, {.layers = 4});
  Launch transfer{.name = "ncclDevKernel_SendRecv", .us = 30, .stream = 20};
  const int micro_batches = job.random.between(4, 8), ahead = job.random.between(1, 3);
  for (int i = 0, steps = draw_steps(job); i < steps; ++i) {
    job.begin_step();
    feed(job, model);
    for (int micro = 0; micro < micro_batches + ahead; ++micro) {
      if (micro < micro_batches) job.run(transfer), forward(job, model, model.shape.layers);
      if (micro >= ahead) job.run(transfer), backward(job, model, model.shape.layers);
    }
    update(job, model);
    job.end_step();
  }
  return job.finish("pipeline");
}

// Each layer is computed again in front of its backward pass.
LabelledTrace recomputed(uint64_t seed) {
  Job job(seed, {.noise = 0.001});
  const Model model = usual_model(job);
  for (int i = 0, steps = draw_steps(job); i < steps; ++i) {
    job.begin_step();
    feed(job, model);
    forward(job, model, model.shape.layers);
    job.run(model.loss);
    for (int layer = 0; layer < model.shape.layers; ++layer)
      job.run(model.layer), job.run(model.layer_backward);
    update(job, model);
    job.end_step();
  }
  return job.finish("recomputed");
}

// Whole steps in one call, with a loop of one layer inside, no optimizer's name and no copies: only
// the host's pause.
LabelledTrace fused_loop(uint64_t seed) {
  Job job(seed);
  const Launches before = draw_launches(job.random, 6, 6, "loop_add_fusion_"),
                 behind = draw_launches(job.random, 9, 9, "fusion_");
  const Launches layer =
      draw_launches(job.random, job.random.between(4, 9), 9, "input_reduce_fusion_");
  const int layers = job.random.between(6, 24);
  for (int i = 0, steps = draw_steps(job); i < steps; ++i) {
    job.host(400 + 100 * job.random.uniform());
    job.begin_step();
    job.run(before);
    for (int l = 0; l < layers; ++l) job.run(layer);
    job.run(behind);
    job.end_step();
    job.sync();
  }
  return job.finish("fused loop");
}

// The experts of a layer come in another order and number each time.
LabelledTrace routed(uint64_t seed) {
  Job job(seed, {.noise = 0.001});
  const Model model = usual_model(job);
  std::vector<Launches> experts;
  for (int i = 0; i < 8; ++i)
    experts.push_back(draw_launches(job.random, 4, 4, ("e" + std::to_string(i) + "_").c_str()));
  for (int i = 0, steps = draw_steps(job); i < steps; ++i) {
    job.begin_step();
    feed(job, model);
    job.run(model.before);
    for (int layer = 0; layer < model.shape.layers; ++layer) {
      job.run(model.layer);
      for (int chosen = job.random.between(2, 6); chosen > 0; --chosen)
        job.run(experts[job.random.next() % experts.size()]);
    }
    backward(job, model, model.shape.layers);
    update(job, model);
    job.end_step();
  }
  return job.finish("routed");
}

}  // namespace deepprof::test
