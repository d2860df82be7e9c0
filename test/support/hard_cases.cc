#include "test/support/hard_cases.h"

#include "test/support/hard_negatives.h"
#include "test/support/hard_schedules.h"
#include "test/support/hard_serving.h"
#include "test/support/hard_steps.h"

namespace deepprof::test {
namespace {

constexpr Family kFamilies[] = {
    {"noise 0.1 %", .99, false, [](uint64_t seed) { return noise(seed, 1); }},
    {"noise 1 %", .99, false, [](uint64_t seed) { return noise(seed, 10); }},
    {"noise 2 %", .99, false, [](uint64_t seed) { return noise(seed, 20); }},
    {"noise 5 %", .99, false, [](uint64_t seed) { return noise(seed, 50); }},
    {"lost buffers", .97, false, lost_buffers},
    {"DDP, launch order", .99, false, [](uint64_t seed) { return ddp(seed, true); }},
    {"DDP, start order", .98, false, [](uint64_t seed) { return ddp(seed, false); }},
    {"flat 50", .99, false, flat},
    {"8 buckets, same length", .99, false, [](uint64_t seed) { return buckets(seed, true); }},
    {"8 buckets, lengths differ", .99, false, [](uint64_t seed) { return buckets(seed, false); }},
    {"RNN 10..60 steps", .99, false, rnn},
    {"accumulation 4", .99, false, [](uint64_t seed) { return accumulation(seed, 4, true); }},
    {"accumulation 8", .99, false, [](uint64_t seed) { return accumulation(seed, 8, true); }},
    {"accumulation 4, unnamed", .99, false,
     [](uint64_t seed) { return accumulation(seed, 4, false); }},
    {"accumulation 8, unnamed", .99, false,
     [](uint64_t seed) { return accumulation(seed, 8, false); }},
    {"24 equal layers", .99, false, [](uint64_t seed) { return equal_layers(seed, 24, 0); }},
    {"80 equal layers", .99, false, [](uint64_t seed) { return equal_layers(seed, 80, 0); }},
    {"38 equal layers, 2 % noise", .99, false,
     [](uint64_t seed) { return equal_layers(seed, 38, 20); }},
    {"train/evaluate 60:10", .99, false,
     [](uint64_t seed) { return train_and_evaluate(seed, 60, 10); }},
    {"train/evaluate 40:1", .99, false,
     [](uint64_t seed) { return train_and_evaluate(seed, 40, 1); }},
    {"GAN 5:1", .99, false, [](uint64_t seed) { return gan(seed, 5); }},
    {"GAN 1:1", .99, false, [](uint64_t seed) { return gan(seed, 1); }},
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
    {"2 iterations", .99, false, [](uint64_t seed) { return few(seed, 2, 0); }},
    {"3 iterations", .99, false, [](uint64_t seed) { return few(seed, 3, 0); }},
    {"2 iterations, 5 % noise", .90, false, [](uint64_t seed) { return few(seed, 2, 50); }},
    {"3 iterations, 5 % noise", .99, false, [](uint64_t seed) { return few(seed, 3, 50); }},
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
