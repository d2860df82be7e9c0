#include "test/fake/workload/resnet.h"

#include <algorithm>
#include <array>

namespace deepprof::fake {
namespace {

constexpr uint32_t kImagesBytes = 3 * 224 * 224 * 4;  // of one image
constexpr double kBatchOfTimes = 64;                  // the batch that the times below are for

struct Conv {
  uint32_t tile;  // of the output, names the kernel
  double us;      // forward
  int32_t blocks;
};

// The stages of ResNet-50: blocks, and the three convolutions of a block.
struct Stage {
  uint32_t blocks;
  std::array<Conv, 3> convs;
};
constexpr std::array<Stage, 4> kStages{{
    {3, {{{64, 88, 1568}, {64, 171, 1568}, {256, 176, 6272}}}},
    {4, {{{128, 92, 784}, {128, 148, 784}, {512, 121, 3136}}}},
    {6, {{{256, 71, 392}, {256, 139, 392}, {1024, 85, 1568}}}},
    {3, {{{512, 64, 98}, {512, 142, 98}, {2048, 77, 392}}}},
}};

std::string conv_name(std::string_view pass, uint32_t tile, uint32_t algorithm) {
  return "sm80_xmma_" + std::string(pass) +
         "_implicit_gemm_f16f16_f16f32_f32_nhwckrsc_nhwc_tilesize" + std::to_string(tile) +
         "x128x32_stage" + std::to_string(3 + algorithm) +
         "_warpsize2x2x1_g1_tensor16x8x16_kernel_cudnn";
}

class Resnet {
 public:
  explicit Resnet(const ResnetOptions& options)
      : options_(options),
        t_(options.seed, options.jitter),
        random_(options.seed ^ 0x9e3779b97f4a7c15) {
    main_ = t_.add_thread(4242, "python");
    autograd_ = t_.add_thread(4260, "pt_autograd_0");
    compute_ = t_.add_stream();
    copies_ = t_.add_stream();
  }

  Modelled run() {
    set_up();
    load_batch(false);
    for (uint32_t i = 0; i < options_.iterations; ++i) {
      begins_.push_back(t_.recording().ops.size());
      iteration(i);
      if (options_.evaluate_every && (i + 1) % options_.evaluate_every == 0) evaluate();
      if (options_.checkpoint_every && (i + 1) % options_.checkpoint_every == 0) checkpoint();
    }
    t_.call("cudaDeviceSynchronize", 12);
    return {std::move(t_.recording()), std::move(begins_)};
  }

 private:
  double scaled(double us) const { return us * options_.batch / kBatchOfTimes; }
  bool happens(double share) { return static_cast<double>(random_() >> 11) * 0x1p-53 < share; }

  void set_up() {
    constexpr double kMalloc_us = 180;
    for (int i = 0; i < 40; ++i) {
      if (options_.allocations) t_.allocate(false, kPiece_bytes, kMalloc_us);
      else t_.call("cudaMalloc", kMalloc_us);
    }
    for (int i = 0; options_.allocations && i < 2; ++i)
      t_.allocate(true, uint64_t{kImagesBytes} * options_.batch, 900);
    for (int i = 0; i < 161; ++i)
      t_.copy(CopyDirection::host_to_device, HostMemory::pageable, compute_, 640'000);
  }

  static constexpr uint64_t kPiece_bytes = 64 << 20, kWorkspace_bytes = 512 << 20;
  static constexpr double kUsualInput_us = 350;

  // The batch after this one, while this one is computed.
  void load_batch(double wait_us) {
    t_.host_works(wait_us);
    t_.copy(CopyDirection::host_to_device, HostMemory::pinned, copies_,
            uint64_t{kImagesBytes} * options_.batch);
    t_.copy(CopyDirection::host_to_device, HostMemory::pinned, copies_,
            uint64_t{8} * options_.batch);
  }

  void elementwise(std::string_view what, double us, int32_t blocks) {
    t_.host_works(3);
    t_.kernel("void at::native::vectorized_elementwise_kernel<4, at::native::" + std::string(what) +
                  ", at::detail::Array<char*, 2>>(int, at::native::" + std::string(what) +
                  ", at::detail::Array<char*, 2>)",
              compute_, scaled(us), blocks, 128, 32);
  }

  void convolution(std::string_view pass, const Conv& conv, double factor, bool tune) {
    t_.host_works(6);
    for (uint32_t algorithm = 1; tune && algorithm < 4; ++algorithm) {
      t_.call("cudaEventRecord", 1);
      t_.kernel(conv_name(pass, conv.tile, algorithm), compute_,
                scaled(conv.us * factor * (1 + 0.3 * algorithm)), conv.blocks, 128, 230);
    }
    t_.kernel(conv_name(pass, conv.tile, 0), compute_, scaled(conv.us * factor), conv.blocks, 128,
              226);
  }

  void batch_norm(std::string_view name, const Conv& conv, double us) {
    t_.host_works(4);
    t_.kernel("void cudnn::" + std::string(name) + "<__half, float, 512, true, 1, true>()",
              compute_, scaled(us), static_cast<int32_t>(conv.tile), 512, 40);
  }

  template <typename Visit>
  void each_conv(Visit visit) {
    for (const Stage& stage : kStages) {
      for (uint32_t block = 0; block < stage.blocks; ++block) {
        for (size_t c = 0; c < 3; ++c) visit(stage.convs[c], c == 2, block == 0 && c == 2);
      }
    }
  }

  void forward(bool training, bool tune) {
    t_.let_stream_wait(compute_, copies_);
    convolution("fprop", {64, 240, 12544}, 1, tune);
    batch_norm(training ? "bn_fw_tr_1C11_kernel_NCHW" : "bn_fw_inf_1C11_kernel_NCHW", {64, 0, 0},
               130);
    elementwise("relu_functor", 66, 50176);
    t_.kernel(
        "void at::native::(anonymous namespace)::max_pool_forward_nhwc<c10::Half, c10::Half>()",
        compute_, scaled(95), 6400, 256, 32);
    each_conv([&](const Conv& conv, bool last, bool downsample) {
      convolution("fprop", conv, 1, tune);
      batch_norm(training ? "bn_fw_tr_1C11_kernel_NCHW" : "bn_fw_inf_1C11_kernel_NCHW", conv,
                 conv.us * 0.45);
      if (downsample) convolution("fprop", conv, 0.8, tune);
      if (last) elementwise("CUDAFunctor_add<c10::Half>", conv.us * 0.3, conv.blocks);
      elementwise("relu_functor", conv.us * 0.2, conv.blocks);
    });
    t_.kernel(
        "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<c10::Half, "
        "at::native::MeanOps<float, float>>>()",
        compute_, scaled(24), 1024, 512, 38);
    t_.kernel("ampere_fp16_s16816gemm_fp16_64x64_ldg8_f2f_stages_64x5_tn", compute_, scaled(31), 16,
              128, 168);
  }

  void loss() {
    t_.host_works(20);
    t_.kernel(
        "void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, true, false>()",
        compute_, 6, 16, 128, 32);
    t_.kernel(
        "void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float, "
        "float>()",
        compute_, 4, 1, 32, 30);
  }

  void backward(bool tune) {
    t_.on_thread(autograd_);
    t_.host_works(60);
    t_.fill(compute_, 4);
    t_.kernel("ampere_fp16_s16816gemm_fp16_64x64_ldg8_f2f_stages_64x5_nt", compute_, scaled(44), 16,
              128, 168);
    for (size_t stage = kStages.size(); stage-- > 0;) {
      for (uint32_t block = kStages[stage].blocks; block-- > 0;) {
        for (size_t c = 3; c-- > 0;)
          backward_of(kStages[stage].convs[c], block == 0 && c == 2, tune);
      }
    }
    t_.on_thread(main_);
  }

  void backward_of(const Conv& conv, bool downsample, bool tune) {
    elementwise("threshold_backward_functor", conv.us * 0.25, conv.blocks);
    batch_norm("bn_bw_1C11_kernel_new", conv, conv.us * 0.6);
    convolution("dgrad", conv, 1.05, tune);
    t_.fill(compute_, uint64_t{conv.tile} * conv.tile * 2);
    convolution("wgrad", conv, 1.2, tune);
    if (downsample) convolution("dgrad", conv, 0.8, tune);
  }

  void optimizer() {
    t_.host_works(250);
    for (int chunk = 0; chunk < 8; ++chunk) {
      t_.kernel(
          "void at::native::(anonymous "
          "namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::"
          "TensorListMetadata<3>, at::native::(anonymous namespace)::FusedSgdMathFunctor<float, "
          "3>>()",
          compute_, 58, 320, 512, 40);
    }
  }

  void read_loss() {
    t_.copy(CopyDirection::device_to_host, HostMemory::pageable, compute_, 4);
    t_.wait_for_stream(compute_);
    t_.host_works(120);
  }

  double input_wait_us(uint32_t iteration) {
    constexpr double kStall_us = 45'000, kLongStall_us = 500'000;
    const bool stalls = iteration >= options_.warmup && happens(options_.stall_share);
    const auto& longs = options_.long_stalls;
    if (std::find(longs.begin(), longs.end(), iteration) != longs.end()) return kLongStall_us;
    return stalls ? kStall_us : kUsualInput_us;
  }

  void iteration(uint32_t index) {
    const bool tune = index < options_.warmup;
    const uint64_t workspace = options_.allocations ? t_.allocate(false, kWorkspace_bytes, 60) : 0;
    forward(true, tune);
    loss();
    load_batch(input_wait_us(index));
    backward(tune);
    optimizer();
    read_loss();
    if (options_.allocations) t_.release(workspace, 60);
    if (options_.leak_bytes > 0) t_.allocate(false, options_.leak_bytes, 60);
    if (index % 16 == 15) flush_overhead();
  }

  void evaluate() {
    for (uint32_t batch = 0; batch < options_.evaluation_batches; ++batch) {
      forward(false, false);
      load_batch(kUsualInput_us);
      t_.copy(CopyDirection::device_to_host, HostMemory::pageable, compute_,
              uint64_t{4} * options_.batch);
      t_.wait_for_stream(compute_);
    }
  }

  void checkpoint() {
    for (int i = 0; i < 161; ++i)
      t_.copy(CopyDirection::device_to_host, HostMemory::pageable, compute_, 640'000);
    t_.host_works(900'000);  // serialises and writes the file
  }

  // CUPTI itself hands a buffer over.
  void flush_overhead() {
    const int64_t now = t_.now_ns();
    t_.host_works(30);
    t_.recording().overheads.push_back({now, t_.now_ns(), 1u << 16, main_});
  }

  ResnetOptions options_;
  Timeline t_;
  std::mt19937_64 random_;
  std::vector<uint64_t> begins_;
  uint32_t main_, autograd_, compute_, copies_;
};

}  // namespace

Modelled model_resnet(const ResnetOptions& options) { return Resnet(options).run(); }

}  // namespace deepprof::fake
