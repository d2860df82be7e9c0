// A made-up neural network: what its passes launch. Drawn from a seed. Test code only.
#pragma once

#include "test/support/job.h"

namespace deepprof::test {

struct ModelShape {
  int layers = 12;
  int least_layer = 8, most_layer = 25;  // ops in a layer's forward pass
  bool optimizer_names = true;
  bool all_reduce = false;  // gradients are reduced over ranks on stream 20
  bool layer_sync = false;  // every layer reads something back (mixture of experts)
};

struct Model {
  Launches feed;                  // input copies
  Launches before, layer, after;  // forward pass: before, then `layers` times layer, then after
  Launches loss;
  Launches layer_backward, before_backward, after_backward;
  Launches reduce;         // one gradient bucket
  Launches clear, update;  // zero_grad and optimizer
  Launches read_back;      // loss.item()
  ModelShape shape;
  bool feed_gap = true;  // the host works between iterations
  bool reads_loss = true;
};

Model draw_model(Random& random, ModelShape shape);
// A model of usual size: 200 to 900 ops a training step. Layers are drawn, too, where the shape has
// the default.
Model usual_model(Job& job, ModelShape shape = {});
// Kernels of the usual kinds: `count` launches of `distinct` names; `tag` keeps parts apart.
Launches draw_launches(Random& random, int count, int distinct, const char* tag);

void forward(Job& job, const Model& model, int layers);  // feed not included
void backward(Job& job, const Model& model, int layers);
void update(Job& job, const Model& model);
void feed(Job& job, const Model& model);
void training_step(Job& job, const Model& model);    // feed to read-back, labelled
void evaluation_step(Job& job, const Model& model);  // labelled
void train(Job& job, const Model& model, int steps);
// How many steps a job makes, where that is not what the case is about.
int draw_steps(Job& job);

}  // namespace deepprof::test
