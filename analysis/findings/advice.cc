#include "analysis/findings/advice.h"

#include <iterator>

namespace deepprof {
namespace {

struct Words {
  const char* general;     // a CUDA program, and frameworks that have no words of their own below
  const char* torch;       // null: general
  const char* xla;         // null: general
  const char* tensorflow;  // null: general
};

// In the order of Advice.
constexpr Words kWords[] = {
    {"Feed the GPU faster: prepare the next input on another thread, or ahead of time.",
     "Feed the GPU faster: more loader workers, prefetching, cheaper or cached transforms.",
     "Feed the GPU faster: prefetch to the device, more host threads for the input, cached "
     "transforms.",
     "Feed the GPU faster: tf.data with prefetch, parallel map and cache."},
    {"Many short waits between launches: the program's own work on the launching thread. CUDA "
     "graphs, or fewer and larger kernels.",
     "Many short waits between launches: the framework's own work. CUDA graphs, torch.compile, a "
     "larger batch.",
     "Many short waits between launches: the framework's own work. jax.jit around the whole step, "
     "a larger batch.",
     "Many short waits between launches: the framework's own work. tf.function(jit_compile=True), "
     "a larger batch."},
    {"Launch fewer, larger kernels: fuse them, or replay them from a CUDA graph.",
     "Launch fewer, larger kernels: CUDA graphs, torch.compile, a larger batch.",
     "Launch fewer, larger kernels: jax.jit around the whole step, lax.scan over steps, a larger "
     "batch.",
     "Launch fewer, larger kernels: tf.function(jit_compile=True), a larger batch."},
    {"Look for synchronize calls and copies to the host in the loop: read results later or less "
     "often, wait for an event instead of the device.",
     "Look for .item(), .cpu(), print(tensor), torch.cuda.synchronize(): read results later or "
     "less "
     "often.",
     "Look for float(), .item(), print or block_until_ready() on results in the loop: read them "
     "later or less often.",
     "Look for .numpy() and print on results in the loop: read them later or less often."},
    {"Memory is allocated or freed in mid-run: allocate before the loop, or from a pool "
     "(cudaMallocAsync).",
     "Memory is allocated or freed in mid-run: keep shapes stable, or use a caching allocator.",
     "Memory is allocated or freed in mid-run: keep shapes stable, leave "
     "XLA_PYTHON_CLIENT_PREALLOCATE on.",
     "Memory is allocated or freed in mid-run: keep shapes stable."},
    {"Overlap it with compute on another stream, send less, or look for a late rank: ",
     "Overlap it with the backward pass (bucket sizes), send less, or look for a late rank: ",
     nullptr, nullptr},
    {"Copy ahead on a stream of its own (cudaMemcpyAsync from pinned memory), or copy less.",
     "Copy ahead on a stream of its own (pinned memory, non_blocking=True), or copy less.",
     "Copy ahead (jax.device_put of the next batch while this one runs), or copy less.",
     "Copy ahead (tf.data's prefetch_to_device), or copy less."},
    {"Use pinned memory: cudaMallocHost, or cudaHostRegister for memory that is there already.",
     "Use pinned memory: DataLoader(pin_memory=True), tensor.pin_memory().",
     "Use pinned memory where the framework lets you: fewer, larger transfers help, too.",
     "Use pinned memory where the framework lets you: fewer, larger transfers help, too."},
    {"Fuse them, or replay them from a CUDA graph.",
     "Fuse them (torch.compile, apex), or replay them from a CUDA graph.",
     "Fuse them (more of the step under one jax.jit), or a larger batch.",
     "Fuse them (tf.function(jit_compile=True)), or a larger batch."},
    {"Give the GPU more work at once: larger grids, or kernels on several streams.",
     "Give the GPU more work at once: a larger batch, or kernels on several streams.",
     "Give the GPU more work at once: a larger batch, vmap instead of loops.",
     "Give the GPU more work at once: a larger batch."},
    {"A larger problem will hardly fit.",
     "A larger batch will hardly fit; how much of it the framework only keeps in reserve: "
     "torch.cuda.memory_summary().",
     "A larger batch may fit all the same: the framework takes most of the memory at its start "
     "(XLA_PYTHON_CLIENT_MEM_FRACTION).",
     "A larger batch may fit all the same: the framework takes most of the memory at its start "
     "(set_memory_growth)."},
    {"Look for what each iteration allocates and keeps: deepprof memory --largest, --iterations.",
     "Look for tensors that are kept across iterations (losses added up without .item(), lists of "
     "outputs) and for shapes that grow: deepprof memory --largest, torch.cuda.memory_snapshot().",
     "Look for arrays that are kept across iterations, and for shapes that grow: deepprof memory "
     "--largest, jax.live_arrays().",
     nullptr},
    {"Most are copies within the GPU: let kernels write where the result is needed.",
     "Most are copies within the GPU: look for clone(), contiguous() and copy_(), also into the "
     "inputs of CUDA graphs.",
     "Most are copies within the GPU: look for changes of layout, donate buffers "
     "(donate_argnums).",
     nullptr},
    {"Most are copies to the host: read results back less often, or with cudaMemcpyAsync into "
     "pinned memory on a stream of its own.",
     "Most are copies to the host (.cpu(), .numpy(), .item()): read results back less often, or "
     "with non_blocking=True into pinned tensors.",
     "Most are copies to the host: read results back less often, or ahead "
     "(copy_to_host_async()).",
     "Most are copies to the host (.numpy()): read results back less often."},
    {"Read back into pinned memory: cudaMallocHost, or cudaHostRegister for memory that is there "
     "already.",
     "Most go to the host: read results back into pinned tensors (torch.empty(..., "
     "pin_memory=True).copy_(result, non_blocking=True)), or less often.",
     "Most go to the host: read results back less often, in fewer, larger transfers.",
     "Most go to the host: read results back less often, in fewer, larger transfers."},
    {"Most are pages of managed memory that move when they are touched: move them ahead "
     "(cudaMemPrefetchAsync), say where they belong (cudaMemAdvise), or copy explicitly.",
     nullptr, nullptr, nullptr},
    {"A library or the context starts, as it does once: warm up first, and leave it out of what is "
     "measured.",
     "A library such as cuDNN or cuBLAS starts in its first call, once: warm up first, and leave "
     "it out of what is measured.",
     nullptr, nullptr},
    {"Memory is freed in mid-run: allocate before the loop, or from a pool (cudaMallocAsync).",
     "PyTorch's allocator gives its cache back, as the GPU's memory is full or torn: a smaller "
     "batch, PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, no torch.cuda.empty_cache().",
     nullptr, nullptr},
};
static_assert(std::size(kWords) == kAdvices);

}  // namespace

const char* advice(Advice about, Framework framework) {
  const Words& words = kWords[static_cast<size_t>(about)];
  const char* own = framework == Framework::torch        ? words.torch
                    : framework == Framework::xla        ? words.xla
                    : framework == Framework::tensorflow ? words.tensorflow
                                                         : words.general;
  return own != nullptr ? own : words.general;
}

}  // namespace deepprof
