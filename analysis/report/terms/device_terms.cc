#include "analysis/report/terms/term_lists.h"

namespace deepprof {
namespace {

constexpr Term kTerms[] = {
    {"device", "DEVICE,GPU,GPUS,OTHER GPUS,not used by the job",
     "A GPU, by the number that the process gives it (CUDA_VISIBLE_DEVICES renumbers). The page is "
     "of the one with most GPU time; the others have a line each.",
     "", "NVML's own number may be another: deepprof info shows both."},
    {"sample", "samples,sampled,metric,value,sampled beside the run",
     "What was read from NVML and /proc beside the trace, ten times a second (DEEPPROF_SAMPLE_MS).",
     "a figure of a window is made where four fifths of the window were sampled; else n/a",
     "Between two samples nothing is known: a short peak is not seen."},
    {"NVML utilization", "nvidia-smi,util,NVML util,NVML,GPU utilization (NVML)",
     "What nvidia-smi shows: the share of sampling periods in which any kernel ran.",
     "mean of the samples of the device",
     "Counts a period as used for a single short kernel; see kernels running."},
    {"energy", "Wh,CPU energy,RAPL,cpu_energy,energy_source,energy counter,cpu_power",
     "Energy that the GPU (CPU energy: the processor packages) took in a window.",
     "growth of the energy counter between the window's borders; without a counter the integral of "
     "sampled power. The source is named",
     "Of the whole GPU or package, whoever uses it."},
    {"J/iteration", "iteration_energy,J/step,per iteration energy,energy per iteration",
     "Energy of the mean counted iteration whose energy is known; (of N of M) says of how many.",
     "growth of the energy over the iteration's window",
     "An iteration shorter than the time between samples gets its share of the interval that it "
     "lies in."},
    {"J/item", "mJ/item,item_energy,energy per item,energy_per_item",
     "Energy of an iteration / batch.", "see J/iteration and batch", ""},
    {"power", "W,gpu power,power, mean", "Energy / time of the window.", "watts",
     "Of the whole GPU, whoever uses it."},
    {"temperature",
     "C,temp,cpu_temperature,temperature_max,cpu_temperature_max,max temperature,temperature, most",
     "Greatest temperature in the window, degrees Celsius.", "greatest sample", ""},
    {"memory",
     "memory_peak,system memory,host memory,GPU memory, "
     "most,process_memory_peak,system_memory_peak,process memory, most,memory used,at most",
     "Greatest memory in use in the window: of a GPU by anybody, the driver included; of the "
     "process its resident memory; of the machine total less available.",
     "greatest sample", "A framework's allocator keeps what it has freed: in use is not needed."},
    {"allocated memory",
     "MEMORY,memory_kind,allocations,releases,allocated_bytes,allocated in all,unmatched,address,"
     "in_use_most_bytes,most in use,in_use_start_bytes,at the start,in_use_least_bytes,least in "
     "use,in_use_end_bytes,at the end,in_use_bytes,in use,growth_bytes,growth/iteration,growth,"
     "piece_bytes,largest pieces,pieces,allocated at,allocated_ns,in iteration,most_ns,step,"
     "in_use_since,recorded_to_ns,kept_bytes,step_bytes,step_iteration",
     "What the job has asked CUDA for and not given back, by device and kind: device, managed, "
     "pinned memory of the host, taken from a pool, held by pools; from imported traces also what "
     "the framework's own allocator hands out. Kinds are not added up: a pool lies in what is "
     "reserved for it.",
     "allocations less releases, in order of time; growth: the steady rise of what is in use at "
     "least in a counted iteration, per iteration; kept: what they keep in all; step: what came or "
     "went once",
     "Needs DEEPPROF_MEMORY=1 (torch.profiler: profile_memory=True). A framework with an allocator "
     "of its own takes large pieces: to "
     "CUDA its reserve is in use. unmatched: releases of what was not seen allocated. "
     "in_use_since: "
     "recording_start where the trace does not tell what was in use when it began: then beyond "
     "that."},
    {"kinds of memory", "framework,framework reserved,pool reserved,pinned,managed",
     "Whose memory is allocated. device, managed, pinned: asked of CUDA (cudaMalloc, "
     "cudaMallocManaged, cudaMallocHost). pool: taken from a pool of the device "
     "(cudaMallocAsync); pool reserved: what pools hold. framework: handed out by the framework's "
     "own allocator, to tensors; framework reserved: what that has taken from CUDA.",
     "see allocated memory",
     "One lies in another: framework in framework reserved, that in device; pool in pool "
     "reserved."},
    {"clocks", "SM MHz,sm_clock,memory_clock,MHz",
     "Mean clock rate of the SMs (and of the memory) over the window.", "MHz",
     "Low clocks with low power mean little to do; with throttled they mean a limit."},
    {"throttled", "throttle,throttling,power cap",
     "Share of the samples in which the GPU's clocks were held down by the power cap, by heat or "
     "by the power brake.",
     "samples with such a reason / samples, of the window",
     "Clocks that are low because the GPU idles do not count."},
    {"PCIe", "pcie_received_bytes_per_s,pcie_sent_bytes_per_s,pcie received,pcie sent,pcie",
     "Bytes a second over PCIe, as NVML measures it.", "mean over the window",
     "Measured over 20 ms each two seconds or more: bursts between are not seen."},
    {"process", "process CPU,CPU,threads,process_threads,of a core,CPU of a core",
     "The job's process: CPU time against wall time (100 % is one core), resident memory at most, "
     "threads at most.",
     "growth of CPU time / time", "Child processes (loader workers) are not in it: see children."},
    {"children", "children_cpu,children_memory_peak,processes",
     "The processes that the job has started and theirs (loader workers): CPU time, those that "
     "have ended and been waited for included; resident memory of those that live at one time; how "
     "many.",
     "growth of CPU time / time; greatest sample", "Memory that they share is counted in each."},
    {"machine", "all cores,system_cpu,system_io_wait,IO wait,of all cores busy",
     "The machine that the job runs on: busy share of all its cores, share of time idle with input "
     "or output pending, memory in use.",
     "mean over the window",
     "A container sees the whole machine, other jobs included. Many kernels count by ticks, and "
     "miss "
     "threads that run for less than one: the process, whose time is exact, may show more."},
    {"storage",
     "read,written,wrote,page faults,faults,minor_faults,major_faults,page faults from "
     "disk,read_bytes,written_bytes",
     "Bytes that the process read from and wrote to storage; page faults that needed the disk "
     "(major) or not (minor).",
     "growth of the counters in the window", "What the page cache serves is not in it."},
    {"lost its core",
     "switches,voluntary_switches,involuntary_switches,runnable,thread waits for core",
     "How often the scheduler took a core from a thread that could have gone on (involuntary), or "
     "a thread went to sleep (voluntary).",
     "growth of the counters", "Many of the first kind: more runnable threads than cores."},
    {"host", "HOST",
     "The page of a run without a GPU (deepprof run --cpu): what was sampled of process and "
     "machine.",
     "", ""},
    {"imbalance", "rank_findings,uneven,share of work",
     "GPUs of one job share the work unevenly, or one that the job could use is left idle.",
     "compute time (kernels that are no communication), power or memory of the greatest at least "
     "1.25 times the mean of all; else 15 degrees between hottest and coolest",
     "Power and memory are of whole GPUs, whoever uses them."},
};

}  // namespace

std::span<const Term> device_terms() { return kTerms; }

}  // namespace deepprof
