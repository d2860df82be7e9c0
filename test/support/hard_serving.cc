#include "test/support/hard_serving.h"

#include "test/support/model.h"

namespace deepprof::test {
namespace {

// The attention kernels of a decode step change as the context grows.
Model at_context(const Model& model, int tokens) {
  Model grown = model;
  for (Launch& launch : grown.layer) {
    if (launch.name.find("flash") != std::string::npos)
      launch.name += "_split" + std::to_string(tokens / 40);
  }
  if (tokens / 40 % 2 == 1) grown.layer.push_back(grown.layer.front());  // one more reduction
  return grown;
}

}  // namespace

LabelledTrace decode(uint64_t seed) {
  Job job(seed);
  const Model model = usual_model(job);
  const int tokens = job.random.between(60, 160);
  for (int i = 0; i < tokens; ++i) evaluation_step(job, at_context(model, i));
  return job.finish("decode");
}

LabelledTrace prefill(uint64_t seed) {
  Job job(seed);
  const Model model = usual_model(job);
  Model prompt = model;
  for (Launch& launch : prompt.layer) {
    if (launch.name.find("gemm") != std::string::npos ||
        launch.name.find("flash") != std::string::npos)
      launch.name += "_prefill";
  }
  for (Launch& launch : draw_launches(job.random, 3, 3, "p")) prompt.layer.push_back(launch);
  const int requests = job.random.between(6, 12);
  for (int request = 0; request < requests; ++request) {
    job.host(3000);
    evaluation_step(job, prompt);
    for (int token = 0, tokens = job.random.between(6, 30); token < tokens; ++token)
      evaluation_step(job, model);
  }
  return job.finish("prefill");
}

LabelledTrace continuous_batching(uint64_t seed) {
  Job job(seed);
  const Model model = usual_model(job);
  const Launches chunk = draw_launches(job.random, 6, 6, "p");
  for (int i = 0, steps = job.random.between(60, 120); i < steps; ++i) {
    Model batch = model;
    const int size = job.random.between(0, 3);
    for (Launch& launch : batch.layer) {
      if (launch.name.find("gemm") != std::string::npos)
        launch.name += "_m" + std::to_string(16 << size);
    }
    if (job.random.chance(.25))
      batch.layer.insert(batch.layer.begin() + 2, chunk.begin(), chunk.end());
    for (int extra = job.random.between(0, 3); extra > 0; --extra)
      batch.feed.push_back(batch.feed.front());
    evaluation_step(job, batch);
  }
  return job.finish("continuous batching");
}

// Every image: a text encoder, then equal passes of one network, then the decoder and the image
// read back. The iteration is the image.
LabelledTrace diffusion(uint64_t seed) {
  Job job(seed);
  const Model encoder = usual_model(job), network = usual_model(job), decoder = usual_model(job);
  const int passes = job.random.between(10, 30);
  for (int image = 0, images = job.random.between(8, 16); image < images; ++image) {
    job.begin_step();
    feed(job, encoder);
    forward(job, encoder, 2);
    for (int pass = 0; pass < passes; ++pass) forward(job, network, network.shape.layers);
    forward(job, decoder, 2);
    job.run(network.read_back);
    job.sync();
    job.end_step();
    job.host(3000);
  }
  return job.finish("diffusion");
}

// Beams are sorted behind each token, and the host looks at the end of some of them only.
LabelledTrace beam_search(uint64_t seed) {
  Job job(seed);
  const Model model = usual_model(job);
  const Launches sorting = draw_launches(job.random, 12, 8, "topk");
  for (int sentence = 0, sentences = job.random.between(3, 8); sentence < sentences; ++sentence) {
    for (int token = 0, tokens = job.random.between(12, 40); token < tokens; ++token) {
      job.begin_step();
      feed(job, model);
      forward(job, model, model.shape.layers);
      job.run(sorting);
      if (job.random.chance(.3)) job.run(sorting);
      job.run(model.read_back);
      job.sync();
      job.end_step();
    }
  }
  return job.finish("beam search");
}

}  // namespace deepprof::test
