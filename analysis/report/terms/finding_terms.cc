#include "analysis/report/terms/term_lists.h"

namespace deepprof {
namespace {

constexpr Term kTerms[] = {
    {"finding", "FINDINGS,findings,key,sentence,next step,share",
     "What a person should do something about, most important first: what was found with its "
     "number, a next step, and how long an iteration would take without it.",
     "share: of the iteration (of the run where there are none)",
     "Nothing passed its threshold is an answer, too."},
    {"ceiling", "without it,without it at best,best",
     "How long an iteration would take at best without what a finding is about.",
     "mean iteration - the time of the finding",
     "Ceilings never add up: time saved in one place may be waited for in another."},
    {"INCONCLUSIVE", "",
     "The figures are what was recorded, but they say too little about the job.",
     "records were lost, have no usable times or were not understood, iterations are uncertain "
     "(confidence LOW, repeating block), fewer than 3 are steady, or they cover less than half of "
     "the run",
     ""},
    {"band", "MODERATELY,HIGHLY", "The words of a verdict, as XProf uses them.",
     "host outside CUDA: MODERATELY from 5 %, HIGHLY over 20 % of the iteration; launches, "
     "blocking calls, communication, copies, dependencies: from 3 %, over 15 %",
     ""},
    {"slow calls", "slow_calls",
     "The GPU waits for few calls that take long (loading code, making a context), not for many "
     "launches.",
     "host launch-bound time from 3 %, in fewer than ten gaps, or half of it in three or fewer, or "
     "in gaps of 0.5 ms and more, or mostly in a call that comes with no launch",
     "More, smaller or replayed launches change nothing about it."},
    {"communication-bound", "communication_bound",
     "Exposed communication takes a good part of the iteration.",
     "see band and exposed communication",
     "The cause may be a late rank: deepprof comm with the files of all ranks."},
    {"copy-bound", "copy_bound",
     "Copies with nothing beside them take a good part of the iteration.",
     "see band and exposed memcpy", ""},
    {"dependency-bound", "dependency_bound", "The GPU waits though the next op was queued in time.",
     "see band and dependency wait", ""},
    {"pageable copies", "pageable_copies", "Copies from or to memory that is not pinned.",
     "at least 10 % of the copied bytes, and copies take 0.5 % of the time",
     "Copies of 64 KiB or less do not count: they are staged in the call, and cost no more."},
    {"profiler overhead finding", "profiler_overhead", "The GPU waits for the profiler's own work.",
     "see profiler overhead; from 5 %",
     "Loading code and a full launch queue are the job's own, whoever records them."},
    {"synchronize calls", "synchronize_calls",
     "A blocking call in nearly every iteration: the host cannot run ahead of the GPU.",
     "in 90 % of the counted iterations, at least 1 % of their time",
     "Harmless while the GPU has enough queued."},
    {"short kernels", "short_kernels",
     "Many kernels so short that launching them is what takes the time.",
     "half of the kernels under 10 us, and 5 % of the time idle between launches", ""},
    {"small grids", "small_grids",
     "Kernels with fewer blocks than the GPU has SMs: part of it is empty while they run.",
     "20 % of compute kernel time", "Kernels on other streams may fill the rest: see SMs filled."},
    {"low busy", "low_busy", "The GPU is busy less than half of the time.", "see GPU busy", ""},
    {"memory nearly full", "memory_nearly_full",
     "The GPU's memory is over 90 % in use at its peak.", "see memory", ""},
    {"memory grows", "memory_grows", "Iterations allocate memory and do not give it back.",
     "what is in use at least in an iteration rises from each quarter of the iterations to the "
     "next, by 1 % of the peak and 1 MiB in all, over 12 iterations and more",
     "Needs DEEPPROF_MEMORY=1, or a trace of torch.profiler with profile_memory=True. To CUDA a "
     "framework's reserve grows only when it asks for more."},
    {"all cores busy", "cpu_saturated",
     "All cores of the machine together are busy 90 % of the time.", "see machine", ""},
    {"thread without a core", "thread_waits_for_core",
     "A launching thread could run but had no core, 10 % of the run.",
     "the kernel's account of the thread", ""},
    {"data quality", "data,complete,INCOMPLETE,dropped,lost,NOT CLOSED,losses,check,result",
     "What the trace lacks: records dropped, records without usable times (left out of every "
     "account), ops without launch record. NOT CLOSED: the job was killed or still runs; the file "
     "is whole up to its last flush.",
     "counted; INCOMPLETE where any loss makes figures too small", ""},
    {"n/a", "not available",
     "Not known, with the reason: never printed as 0. Empty in CSV, null in JSON.", "", ""},
    {"of it", "of them",
     "Of what stands before it in the line: in a finding of the iteration (of the run where there "
     "are none), under WHY THE GPU WAS IDLE of the idle time of that cause, behind communication "
     "and copies of all of them.",
     "", ""},
    {"view", "filter,only",
     "What the page is of where filters were given. A filter takes nothing out of the trace: an "
     "idle stretch keeps the cause that it has in the whole.",
     "", ""},
    {"note", "", "What a reader should know before trusting the lines beside it.", "", ""},
};

}  // namespace

std::span<const Term> finding_terms() { return kTerms; }

}  // namespace deepprof
