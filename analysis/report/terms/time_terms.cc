#include "analysis/report/terms/term_lists.h"

namespace deepprof {
namespace {

constexpr Term kTerms[] = {
    {"where the time goes", "WHERE THE TIME GOES,wall,breakdown,duration,window",
     "The wall time of the mean iteration (of the run, where there are no iterations), divided so "
     "that every nanosecond counts once.",
     "wall = compute + exposed communication + exposed memcpy + exposed memset + idle + not "
     "recorded, to the nanosecond; where several kinds of op run at once, the first of them in "
     "this order has it",
     "The bars and the percentages are shares of the wall time."},
    {"compute", "", "Time in which at least one kernel that is not communication runs.",
     "|union of compute kernels| within the window, ns",
     "Says nothing of how well a kernel uses the GPU: see SMs filled."},
    {"exposed communication", "communication exposed,communication,exposed,comm exposed,comm",
     "Time in which communication kernels run and no compute beside them: what hiding it better "
     "could save.",
     "|union(communication) \\ compute|, ns; column comm: all of it, exposed or not, streams added",
     "A collective also runs while it waits for a late rank: exposed communication on one rank may "
     "be slow compute on another."},
    {"exposed memcpy", "memcpy,memcpy exposed,copy,copies",
     "Time in which copies run and neither compute nor communication.",
     "|union(memcpy) \\ compute \\ communication|, ns", ""},
    {"exposed memset", "memset,memset exposed,fill,fills", "Time in which only fills run.",
     "|union(memset) \\ compute \\ communication \\ memcpy|, ns", ""},
    {"GPU idle", "idle,stream idle", "Time in which nothing runs on the device, on any stream.",
     "window - |union of all GPU ops|, ns; compute + exposed communication + exposed memcpy + "
     "exposed memset + idle + not recorded = window, to the nanosecond",
     "A stream that waits while another computes is not idle time of the device. With --stream it "
     "is that stream's idle time."},
    {"left out at the end", "left_out_at_end,LEFT OUT AT THE END,reason",
     "The end of a recording that was not handed over whole, as the job was killed, runs still, or "
     "ended with buffers that CUPTI kept: it hands records over thread by thread, so that ops of "
     "one thread or stream lack there and others do not.",
     "from the last op of the thread or stream that lags most to the last op of the device",
     "It is not recorded time, and no iteration is looked for in it."},
    {"not recorded", "hole,holes",
     "Time for which events are missing though the job ran: raw events were let go to keep the "
     "file's ceiling, went to another tool, or were lost. Nobody knows what the GPU did there.",
     "time inside a hole in which no op is known, ns",
     "Never idle, and in no denominator: busy is a share of wall - not recorded."},
    {"GPU busy", "busy,stream busy,GPU busy at least,of the device's run,of the time shown",
     "Share of the time in which anything runs on the device: kernels, copies or fills.",
     "|union of all ops| / wall time that was recorded, of the counted iterations (without "
     "iterations: of the run); of a stream: its ops alone",
     "Busy is not efficient: one block on one SM makes the GPU busy. Of the whole run it is a "
     "lower bound (at least)."},
    {"kernels running", "utilization,GPU-utilization,kernel",
     "Share of the time in which a kernel (compute or communication) runs; what TensorBoard called "
     "GPU Utilization.",
     "|union of kernels| / wall time that was recorded",
     "NVML's utilization (nvidia-smi) is another thing: the share of its sampling periods, 1/6 s "
     "or longer, in which any kernel ran. It reads near 100 % for a GPU that idles half of every "
     "millisecond."},
    {"SMs filled", "sm-efficiency,sm,estimated,SMs,sm count",
     "How much of the device the kernels' grids could fill at best: an estimated SM efficiency. "
     "Column SMs: how many streaming multiprocessors the device has.",
     "integral of min(blocks of the kernels running / SMs, 1) / wall time; n/a where grids or the "
     "number of SMs are not known",
     "An upper bound: blocks may be uneven, and a full SM may still wait for memory."},
    {"hidden", "overlap,overlapped,comm hidden,in all",
     "How much of communication (or of copies) runs beside other work. In all: exposed or not.",
     "communication: |communication and compute at once| / |communication|; copies and fills: 1 - "
     "exposed / in all",
     ""},
    {"why the GPU was idle",
     "WHY THE GPU WAS IDLE,WHY THE STREAM WAS IDLE,largest_iteration,in iteration,cause,class,of "
     "idle,of wall,of the stream's idle",
     "The idle time by cause. Each gap goes whole to one cause, by what the thread that launched "
     "the next op did in it.",
     "time per iteration; % of the idle time; gaps per iteration; median length of a gap; what "
     "most of the time lies before or in",
     "Causes sum to the idle time exactly. gaps --rule hta prints HolisticTraceAnalysis' classes "
     "instead, per stream."},
    {"gap", "gaps,gap before,op before,op after,typical gap,more gap",
     "A stretch in which nothing runs on the device. It is ended by an op K and has one cause.",
     "counted and measured within windows; a gap across a border is cut and keeps its cause",
     "Ops of no length (clocks of a microsecond) neither end nor begin a gap."},
    {"host outside CUDA",
     "host_outside,outside,input-bound,host-bound,input_bound,host_bound,host wait",
     "The launching thread was late, and in no CUDA call for at least half of the gap: input "
     "pipeline, Python, framework, logging. An annotation (NVTX, framework op) that covers it is "
     "named where one was recorded.",
     "K was launched after the gap began, and calls of its launching thread cover at most half of "
     "the gap",
     "Where only launches were recorded, time blocked in other calls counts here too."},
    {"host launch-bound", "host_launch,launch-bound,launch",
     "The launching thread was late because it was busy with CUDA calls, mostly launches.",
     "K was launched after the gap began; calls cover more than half of the gap, blocking ones at "
     "most half",
     "Profiling itself makes launches slower."},
    {"host blocked in CUDA", "host_blocked,blocked,synchronize,blocking calls",
     "The launching thread was late because it sat in a call that blocks: synchronize, synchronous "
     "copy, allocation, module load. The call is named.",
     "K was launched after the gap began; blocking calls of its thread cover more than half of the "
     "gap",
     "The wait itself is no fault; that nothing is queued behind it is."},
    {"dependency wait", "dependency_wait,dependency",
     "The op was launched before the gap began, and still started 30 us or more later: it waited "
     "for an event, another stream, or the device's own scheduling.",
     "launch of K before the gap began; gap >= 30 us",
     "What it waited for is a guess: the op that ended last."},
    {"kernel wait", "kernel_wait",
     "The op was queued in time; the gap is the device's delay between two ops.",
     "launch of K before the gap began; gap < 30 us (HolisticTraceAnalysis' consecutive-kernel "
     "delay)",
     "About 1 us each on current GPUs; thousands of short kernels add up."},
    {"graph replay", "graph_replay,graph", "A gap between two ops of one graph launch.",
     "the ops before and after the gap belong to one graph launch", ""},
    {"profiler overhead", "overhead",
     "The profiler's own records (buffer flushes) cover more than half of the gap.",
     "records of the tracing library, as a union",
     "Its records of loading code, of compiling it, and of a full launch queue are the job's own "
     "time and count for the call that they lie in."},
    {"unattributed", "nothing follows,no launch record",
     "The op that ends the gap has no launch record, so that no cause can be told; or no op "
     "follows in the part that is shown.",
     "always shown", "Common at the start of a recording and where API records are off."},
    {"what the host did", "the host was in,host_doing,of host outside,WHAT THE HOST DID MEANWHILE",
     "What the launching thread was at while the GPU waited for it with no CUDA call: the "
     "annotations (Python functions, framework ops, NVTX) that the gaps lie in.",
     "time of the gaps of which an annotation covers more than half, the shortest such, / time of "
     "host outside CUDA",
     "Only where annotations were recorded: torch.profiler(with_stack=True) knows Python "
     "functions. The rest of the time lies in none."},
    {"evidence", "annotation,call",
     "What tells most about a gap: the call that the thread was in, the annotation (NVTX, "
     "framework op) that covers it, or the stream that was waited for.",
     "the one that covers most of the time", "Where none was recorded: n/a, or empty."},
    {"growth", "more,gap_growth,this,typical,position,match,part",
     "An iteration beside the typical one (the counted iteration whose length is closest to the "
     "median): its parts, and its ops aligned in launch order, with how much longer each op and "
     "the gap before it took.",
     "this - median (parts), this - typical (ops), ns",
     "An op that only one of them has is matched with none."},
    {"lane", "kind of a row,launching call,other call,profiler",
     "A row of the timeline: a stream of the device, a thread of the host (calls that launch GPU "
     "work, calls that block, other calls), or the gaps with their causes.",
     "", "What is shorter than a column of the drawing is drawn as one column."},
};

}  // namespace

std::span<const Term> time_terms() { return kTerms; }

}  // namespace deepprof
