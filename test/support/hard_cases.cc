#include "test/support/hard_cases.h"

#include "test/support/hard_serving.h"
#include "test/support/model.h"

namespace deepprof::test {
namespace {

int draw_steps(Job& job) { return job.random.between(20, 60); }

void train(Job& job, const Model& model, int steps) {
  for (int i = 0; i < steps; ++i) training_step(job, model);
}

// What a job does before its first iteration: weights are made and copied.
void set_up(Job& job, const Model& model) {
  const Launches initialise = draw_launches(job.random, job.random.between(5, 120), 12, "i");
  for (const Launch& launch : initialise) {
    job.run(launch);
    if (job.random.chance(.3)) job.run(model.feed);
  }
  job.host(5000);
}

template <int PerMille>
LabelledTrace noise(uint64_t seed) {
  Job job(seed, {.noise = PerMille / 1000.0});
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

template <bool LaunchOrder>
LabelledTrace ddp(uint64_t seed) {
  Job job(seed, {.noise = 0.001, .correlations = LaunchOrder, .jitter = 300});
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

template <bool SameLength>
LabelledTrace buckets(uint64_t seed) {
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
      if (!SameLength) {
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

template <int MicroSteps, bool Names>
LabelledTrace accumulation(uint64_t seed) {
  Job job(seed);
  const Model model = usual_model(job, {.layers = 6, .optimizer_names = Names});
  for (int i = 0, steps = draw_steps(job); i < steps; ++i) {
    job.begin_step();
    for (int micro = 0; micro < MicroSteps; ++micro) {
      feed(job, model);
      forward(job, model, model.shape.layers);
      backward(job, model, model.shape.layers);
    }
    update(job, model);
    job.end_step();
  }
  return job.finish("accumulation");
}

template <int Layers, int PerMille>
LabelledTrace equal_layers(uint64_t seed) {
  Job job(seed, {.noise = PerMille / 1000.0});
  const Model model = draw_model(job.random, {.layers = Layers, .most_layer = 16});
  const bool training = job.random.chance(.5);
  for (int i = 0, steps = job.random.between(8, 24); i < steps; ++i) {
    training ? training_step(job, model) : evaluation_step(job, model);
  }
  return job.finish("equal layers");
}

template <int Train, int Evaluate>
LabelledTrace train_and_evaluate(uint64_t seed) {
  Job job(seed, {.noise = 0.001});
  const Model model = usual_model(job);
  for (int epoch = 0; epoch < 3; ++epoch) {
    train(job, model, Train);
    for (int i = 0; i < Evaluate; ++i) evaluation_step(job, model);
  }
  return job.finish("train and evaluate");
}

template <int Discriminator>
LabelledTrace gan(uint64_t seed) {
  Job job(seed);
  const Model critic = usual_model(job), generator = usual_model(job);
  for (int i = 0, steps = draw_steps(job); i < steps; ++i) {
    job.begin_step();
    for (int d = 0; d < Discriminator; ++d) {
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

template <int Steps, int PerMille>
LabelledTrace few(uint64_t seed) {
  Job job(seed, {.noise = PerMille / 1000.0});
  train(job, usual_model(job), Steps);
  return job.finish("few");
}

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

constexpr Family kFamilies[] = {
    {"noise 0.1 %", .99, false, noise<1>},
    {"noise 1 %", .99, false, noise<10>},
    {"noise 2 %", .99, false, noise<20>},
    {"noise 5 %", .99, false, noise<50>},
    {"lost buffers", .97, false, lost_buffers},
    {"DDP, launch order", .99, false, ddp<true>},
    {"DDP, start order", .98, false, ddp<false>},
    {"flat 50", .99, false, flat},
    {"8 buckets, same length", .99, false, buckets<true>},
    {"8 buckets, lengths differ", .99, false, buckets<false>},
    {"RNN 10..60 steps", .99, false, rnn},
    {"accumulation 4", .99, false, accumulation<4, true>},
    {"accumulation 8", .99, false, accumulation<8, true>},
    {"accumulation 4, unnamed", .99, false, accumulation<4, false>},
    {"accumulation 8, unnamed", .99, false, accumulation<8, false>},
    {"24 equal layers", .99, false, equal_layers<24, 0>},
    {"80 equal layers", .99, false, equal_layers<80, 0>},
    {"38 equal layers, 2 % noise", .99, false, equal_layers<38, 20>},
    {"train/evaluate 60:10", .99, false, train_and_evaluate<60, 10>},
    {"train/evaluate 40:1", .99, false, train_and_evaluate<40, 1>},
    {"GAN 5:1", .99, false, gan<5>},
    {"GAN 1:1", .99, false, gan<1>},
    {"decode, growing context", .99, false, decode},
    {"requests with prefill", .99, false, prefill},
    {"continuous batching", .99, false, continuous_batching},
    {"checkpoint every 50", .99, false, checkpoint},
    {"autotuned first steps", .99, false, autotuned},
    {"input copied ahead, evaluation", .99, false, prefetched},
    {"AMP skips", .99, false, amp_skip},
    {"rollout and train", .99, false, reinforcement},
    {"experts, sync a layer", .99, false, experts},
    {"CUDA graphs", .99, false, graphs},
    {"images by diffusion", .99, false, diffusion},
    {"pipeline of micro-batches", .99, false, pipeline},
    {"layers computed again", .99, false, recomputed},
    {"kernels compiled anew", .99, false, recompiled},
    {"fused steps, a loop inside", .99, false, fused_loop},
    {"beam search", .99, false, beam_search},
    {"experts in any order", .99, false, routed},
    {"2 iterations", .99, false, few<2, 0>},
    {"3 iterations", .99, false, few<3, 0>},
    {"2 iterations, 5 % noise", .90, false, few<2, 50>},
    {"3 iterations, 5 % noise", .99, false, few<3, 50>},
    {"random", 1, true, random_ops},
    {"Markov", 1, true, markov},
    {"one forward pass", 1, true, one_forward},
    {"one forward pass of experts", 1, true, one_forward_of_experts},
    {"parameters copied in", 1, true, offloaded},
    {"one training step", 1, true, one_training_step},
    {"one-off ops", 1, true, one_off},
};

}  // namespace

std::span<const Family> families() { return kFamilies; }

}  // namespace deepprof::test
