#include "analysis/report/terms/term_lists.h"

namespace deepprof {
namespace {

constexpr Term kTerms[] = {
    {"kernel time", "KERNELS,kernels,streams-added,of kernel time,by name",
     "Durations of kernels added up, by category, and of the three kernels that take most. Kernels "
     "that run at the same time are counted each.",
     "sum of durations of the kernels that belong to the counted iterations / their number",
     "May exceed the wall time; shares are of kernel time, not of the iteration."},
    {"category", "categories,kernel names,rule,searched,searched in,short name",
     "What a kernel is for, read from its name by an ordered list of patterns. Column kernel "
     "names: how many different kernels fell under it.",
     "first rule that matches the lower-cased name without its arguments; `deepprof categories "
     "test NAME` shows it, and the name that was searched",
     "A fused kernel falls under its first telling word. Your own rules go before: --categories "
     "FILE."},
    {"gemm",
     "conv,attention,norm,elementwise,other,copy/"
     "cast,reduce,embedding,pool,random,rnn,compiled,softmax,loss,softmax/loss",
     "Categories of kernels: gemm (matrix products), conv, attention, norm, elementwise, reduce, "
     "copy/cast, embedding, optimizer, communication, compiled (fused by a compiler), other (no "
     "rule matched).",
     "", "Read from names: a job's own kernels mostly fall under other."},
    {"launch delay", "launch_delay_median,launch_delay_p99",
     "How long an op waits from the start of the call that launched it to its own start.",
     "op start - launch start, ns",
     "Long delays are good: the host runs ahead of the GPU. Near the launch's own length the GPU "
     "waits for the host."},
    {"queue depth", "queued,queue,queued at most,queued on average,queue_most,queue_mean",
     "Ops of a stream that are launched and not finished.",
     "most, and mean over the time in which any is", "1 means that the host is never ahead."},
    {"stream", "streams",
     "A queue of the device: its ops run one after another, those of different streams may run at "
     "once. Numbers are those of the recorder.",
     "", "Ops of one stream may overlap where a graph launched them."},
    {"main stream", "", "The stream with most ops. Windows of iterations begin at its ops.", "",
     ""},
    {"direction",
     "from,to,source,destination,pageable,pinned,managed,host to device,device to host",
     "Where a copy comes from and goes to, and which kind of memory that is: pinned (page-locked), "
     "pageable, device, managed.",
     "",
     "Copies of more than 64 KiB from or to pageable memory are staged through a buffer of the "
     "driver and cannot overlap."},
    {"per second", "bandwidth,bytes per second,bytes_per_second",
     "Bytes of the copies / their summed time.", "bytes / s",
     "Small copies cost mostly their start: see memcpy --sizes."},
    {"bytes", "size,mean size,largest,max bytes,below,payload,total bytes,mean bytes",
     "Sizes of copies: all together, mean, largest; below: the upper bound of a class of sizes.",
     "", "n/a where the recorder did not keep sizes."},
    {"blocking call", "sync,function,GPU idle in it,host time,of host time,gpu idle",
     "A call that keeps its thread until the device, an allocation or a load is done: synchronize, "
     "synchronous copy, cudaMalloc, cudaFree, module load.",
     "host time: summed length; GPU idle in it: the part of that in which the device was idle",
     "A thread that waits for a busy GPU costs nothing by itself; that nothing is queued behind it "
     "may."},
    {"operator",
     "operators,own GPU time,own,own per iteration,with what is inside,calls,GPU ops,most of "
     "it,longest_op,of GPU time,launched in none,launch not recorded",
     "GPU time by the annotation (framework operator, NVTX range, Python function) that was open "
     "on the thread where the launch began. Own: of the innermost one. With what is inside: of "
     "every one that was open.",
     "summed durations of the ops, streams added; own times add up to all GPU time",
     "GPU time, not the host's. Backward operators launch on a thread of their own, outside of "
     "ranges that the job pushed on its main thread."},
    {"graph launch", "graph launches,graph node",
     "Work that was recorded once and is launched as a whole (CUDA graphs). Where the recorder saw "
     "its nodes each is an op; else the launch is one op, of which nobody knows what ran inside.",
     "",
     "Nodes of one launch share one correlation id. Nsight Systems records nodes with nsys profile "
     "--cuda-graph-trace=node, DeepProf unless DEEPPROF_GRAPH=graph."},
    {"correlation", "first_correlation,correlation id,launch",
     "The number that joins an op with the call that launched it, as the recorder gave it. Of an "
     "iteration: that of its first op.",
     "", ""},
};

}  // namespace

std::span<const Term> work_terms() { return kTerms; }

}  // namespace deepprof
