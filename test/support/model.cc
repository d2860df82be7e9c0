#include "test/support/model.h"

namespace deepprof::test {
namespace {

constexpr const char* kKinds[] = {"ampere_sgemm_128x64_tn",
                                  "cutlass_80_tensorop_f16_s16816gemm_relu",
                                  "void at::native::vectorized_elementwise_kernel",
                                  "void at::native::reduce_kernel",
                                  "void layer_norm_fwd_kernel",
                                  "flash_fwd_kernel",
                                  "void softmax_warp_forward",
                                  "void at::native::unrolled_elementwise_kernel<direct_copy>",
                                  "void at::native::CatArrayBatchedCopy",
                                  "sm80_xmma_fprop_implicit_gemm",
                                  "void gpu_kernel_impl<{lambda(int)#1}>",
                                  "triton_poi_fused_add_mul"};

Launch kernel(Random& random, const std::string& tag) {
  Launch launch;
  launch.name = std::string(kKinds[random.next() % std::size(kKinds)]) + "_" + tag +
                std::to_string(random.between(0, 99));
  launch.us = 3 + 40 * random.uniform() * random.uniform();
  return launch;
}

Launch copy(CopyKind kind) {
  Launch launch;
  launch.name = kind == CopyKind::host_to_device ? "Memcpy HtoD (Pinned -> Device)"
                                                 : "Memcpy DtoH (Device -> Pageable)";
  launch.kind = Kind::memcpy;
  launch.copy = kind;
  launch.us = 2;
  return launch;
}

Launch fill() {
  Launch launch;
  launch.name = "Memset (Device)";
  launch.kind = Kind::memset;
  launch.us = 1;
  return launch;
}

}  // namespace

Launches draw_launches(Random& random, int count, int distinct, const char* tag) {
  Launches names, launches;
  for (int i = 0; i < distinct; ++i) names.push_back(kernel(random, tag));
  for (int i = 0; i < count; ++i) launches.push_back(names[random.next() % names.size()]);
  return launches;
}

Model draw_model(Random& random, ModelShape shape) {
  Model model;
  model.shape = shape;
  const int size = random.between(shape.least_layer, shape.most_layer);
  model.feed = Launches(static_cast<size_t>(random.between(1, 3)), copy(CopyKind::host_to_device));
  // Parts of a network share kernels: the pool of names is small against the number of launches.
  model.before = draw_launches(random, random.between(2, 8), 4, "a");
  model.layer = draw_launches(random, size, size * 2 / 3 + 1, "a");
  model.after = draw_launches(random, random.between(2, 6), 4, "a");
  model.loss = draw_launches(random, random.between(3, 8), 5, "c");
  model.layer_backward = draw_launches(random, size * 2, size, "d");
  model.before_backward = draw_launches(random, random.between(2, 6), 4, "d");
  model.after_backward = draw_launches(random, random.between(2, 8), 4, "d");
  if (shape.layer_sync) model.layer.push_back(copy(CopyKind::device_to_host));
  Launch reduce;
  reduce.name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";
  reduce.stream = 20;
  reduce.us = 60;
  model.reduce = {reduce};
  model.clear = Launches(static_cast<size_t>(random.between(0, 4)), fill());
  const int updates = random.between(1, 16);
  Launch update = kernel(random, "u");
  if (shape.optimizer_names) {
    update.name = random.chance(.7)
                      ? "void at::native::multi_tensor_apply_kernel<FusedAdamMathFunctor>"
                      : "fused_adamw_kernel";
  }
  model.update = Launches(static_cast<size_t>(updates), update);
  model.read_back = {copy(CopyKind::device_to_host)};
  model.feed_gap = random.chance(.7);
  model.reads_loss = random.chance(.6);
  return model;
}

Model usual_model(Job& job, ModelShape shape) {
  if (shape.layers == 12) shape.layers = job.random.between(4, 16);
  return draw_model(job.random, shape);
}

void feed(Job& job, const Model& model) {
  if (model.feed_gap) job.host(200 + 2000 * job.random.uniform());
  job.run(model.feed);
}

void forward(Job& job, const Model& model, int layers) {
  job.run(model.before);
  for (int i = 0; i < layers; ++i) {
    job.run(model.layer);
    if (model.shape.layer_sync) job.sync();
  }
  job.run(model.after);
}

void backward(Job& job, const Model& model, int layers) {
  job.run(model.loss);
  job.run(model.before_backward);
  for (int i = 0; i < layers; ++i) {
    job.run(model.layer_backward);
    if (model.shape.all_reduce && i % 3 == 2) job.run(model.reduce);
  }
  job.run(model.after_backward);
  if (model.shape.all_reduce) job.run(model.reduce);
}

void update(Job& job, const Model& model) {
  job.run(model.update);
  job.run(model.clear);
}

void training_step(Job& job, const Model& model) {
  job.begin_step();
  feed(job, model);
  forward(job, model, model.shape.layers);
  backward(job, model, model.shape.layers);
  update(job, model);
  if (model.reads_loss) job.run(model.read_back), job.sync();
  job.end_step();
}

void evaluation_step(Job& job, const Model& model) {
  job.begin_step();
  feed(job, model);
  forward(job, model, model.shape.layers);
  job.run(model.read_back);
  job.sync();
  job.end_step();
}

int draw_steps(Job& job) { return job.random.between(20, 60); }

void train(Job& job, const Model& model, int steps) {
  for (int i = 0; i < steps; ++i) training_step(job, model);
}

}  // namespace deepprof::test
