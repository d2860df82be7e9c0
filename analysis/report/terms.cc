#include "analysis/report/terms.h"

#include <algorithm>
#include <array>

#include "analysis/report/page.h"

namespace deepprof {
namespace {

constexpr std::array<Term, 36> kTerms{{
    {"iteration", "step",
     "A group of GPU ops that comes back again and again in the order in which the host launched "
     "them: one training step, one evaluation batch, one decode step. Found without any "
     "annotation.",
     "ops belong to an iteration by launch order; its window runs from the start of its first op "
     "on the main stream to the same of the next iteration, so windows tile a section without "
     "holes",
     "A last window ends with its last op and so leaves out the wait that would follow. No "
     "iteration structure is an honest answer; then all figures are of the whole run."},
    {"repeating block", "block",
     "Ops that repeat, but with nothing (no optimizer, no copy of a batch, no pause of the host) "
     "to show that a repetition is an iteration.",
     "", "It may be a layer, a micro-step, or several iterations."},
    {"pattern", "ops per iteration", "How many GPU ops an iteration holds.",
     "median over the iterations", ""},
    {"coverage", "covers", "How much of the GPU's work lies in iterations.",
     "summed durations of ops in complete iterations / summed durations of all ops of the device",
     ""},
    {"confidence", "",
     "How sure the miner is of level and borders of the iterations: high from 0.8, medium from "
     "0.5, else LOW.",
     "see docs/mining.md",
     "Low confidence with high coverage often means that layers or micro-steps compete with "
     "iterations."},
    {"section", "warm-up training evaluation checkpoint irregular excluded",
     "A stretch of the run of one kind: warm-up, training, evaluation, checkpoint, irregular. "
     "Figures per iteration are of the complete iterations of training; what is left out is listed "
     "as excluded.",
     "", ""},
    {"iteration time", "time median mean p95 it/s throughput items/s",
     "The length of the windows of the counted iterations.",
     "end - start of the window; it/s = 1 / mean; items/s = it/s x batch; percentiles by nearest "
     "rank",
     "The first iterations (autotuning, caches) belong to warm-up when they differ; else they "
     "raise the mean: compare with the median."},
    {"trend", "steady", "Whether iterations get slower or faster during the run.",
     "median of the last tenth of the iteration times / median of the first tenth - 1; from 20 "
     "iterations on",
     "A change of the input (longer sequences) looks the same as a throttled GPU."},
    {"slow iteration", "slow z", "An iteration that stands out, and the part that grew most in it.",
     "modified z = 0.6745 (x - median) / MAD > 3.5 and more than 10 % over the median (MAD 0: the "
     "10 % alone); growth of a part = its time - its median over all counted iterations",
     "With fewer than some ten iterations the median absolute deviation says little."},
    {"compute", "", "Time in which at least one kernel that is not communication runs.",
     "|union of compute kernels| within the window, ns",
     "Says nothing of how well a kernel uses the GPU: see SMs filled."},
    {"exposed communication", "communication exposed",
     "Time in which communication kernels run and no compute beside them: what hiding it better "
     "could save.",
     "|union(communication) \\ compute|, ns",
     "A collective also runs while it waits for a late rank: exposed communication on one rank may "
     "be slow compute on another."},
    {"exposed memcpy", "memcpy copy copies",
     "Time in which copies run and neither compute nor communication.",
     "|union(memcpy) \\ compute \\ communication|, ns", ""},
    {"exposed memset", "memset fill fills", "Time in which only fills run.",
     "|union(memset) \\ compute \\ communication \\ memcpy|, ns", ""},
    {"GPU idle", "idle", "Time in which nothing runs on the device, on any stream.",
     "window - |union of all GPU ops|, ns; compute + exposed communication + exposed memcpy + "
     "exposed memset + idle = window, to the nanosecond",
     "A stream that waits while another computes is not idle time of the device."},
    {"GPU busy", "busy",
     "Share of the time in which anything runs on the device: kernels, copies or fills.",
     "|union of all ops| / wall time of the counted iterations (without iterations: of the run)",
     "Busy is not efficient: one block on one SM makes the GPU busy."},
    {"kernels running", "utilization kernel GPU-utilization",
     "Share of the time in which a kernel (compute or communication) runs; what TensorBoard called "
     "GPU Utilization.",
     "|union of kernels| / wall time",
     "NVML's utilization (nvidia-smi) is another thing: the share of its sampling periods, 1/6 s "
     "or longer, in which any kernel ran. It reads near 100 % for a GPU that idles half of every "
     "millisecond."},
    {"NVML utilization", "nvidia-smi",
     "What nvidia-smi shows: the share of sampling periods in which any kernel ran.",
     "mean of the samples of the device",
     "Counts a period as used for a single short kernel; see kernels running."},
    {"SMs filled", "sm-efficiency sm estimated occupancy",
     "How much of the device the kernels' grids could fill at best: an estimated SM efficiency.",
     "integral of min(blocks of the kernels running / SMs, 1) / wall time; n/a where grids or the "
     "number of SMs are not known",
     "An upper bound: blocks may be uneven, and a full SM may still wait for memory."},
    {"hidden", "overlap overlapped",
     "How much of communication (or of copies) runs beside other work.",
     "communication: |communication and compute at once| / |communication|; copies and fills: 1 - "
     "exposed / in all",
     ""},
    {"gap", "gaps",
     "A stretch in which nothing runs on the device. It is ended by an op K and has one cause.",
     "counted and measured within windows; a gap across a border is cut and keeps its cause",
     "Ops of no length (clocks of a microsecond) neither end nor begin a gap."},
    {"host outside CUDA", "host_outside outside input-bound host-bound",
     "The launching thread was late, and in no CUDA call for at least half of the gap: input "
     "pipeline, Python, framework, logging. An annotation (NVTX, framework op) that covers it is "
     "named where one was recorded.",
     "K was launched after the gap began, and calls of its launching thread cover at most half of "
     "the gap",
     "Where only launches were recorded, time blocked in other calls counts here too."},
    {"host launch-bound", "host_launch launch-bound launch",
     "The launching thread was late because it was busy with CUDA calls, mostly launches.",
     "K was launched after the gap began; calls cover more than half of the gap, blocking ones at "
     "most half",
     "Profiling itself makes launches slower."},
    {"host blocked in CUDA", "host_blocked blocked synchronize",
     "The launching thread was late because it sat in a call that blocks: synchronize, synchronous "
     "copy, allocation, module load. The call is named.",
     "K was launched after the gap began; blocking calls of its thread cover more than half of the "
     "gap",
     "The wait itself is no fault; that nothing is queued behind it is."},
    {"dependency wait", "dependency_wait dependency",
     "The op was launched before the gap began, and still started 30 us or more later: it waited "
     "for an event, another stream, or the device's own scheduling.",
     "launch of K before the gap began; gap >= 30 us",
     "What it waited for is a guess: the op that ended last."},
    {"kernel wait", "kernel_wait",
     "The op was queued in time; the gap is the device's delay between two ops.",
     "launch of K before the gap began; gap < 30 us (HolisticTraceAnalysis' consecutive-kernel "
     "delay)",
     "About 1 us each on current GPUs; thousands of short kernels add up."},
    {"graph replay", "graph_replay graph", "A gap between two ops of one graph launch.",
     "the ops before and after the gap belong to one graph launch", ""},
    {"profiler overhead", "overhead",
     "The profiler's own records (buffer flushes) cover more than half of the gap.",
     "records of the tracing library, as a union", ""},
    {"unattributed", "",
     "The op that ends the gap has no launch record, so that no cause can be told.", "always shown",
     "Common at the start of a recording and where API records are off."},
    {"kernel time", "kernels category streams-added",
     "Durations of kernels added up, by category. Kernels that run at the same time are counted "
     "each.",
     "sum of durations of the kernels that belong to the counted iterations / their number",
     "May exceed the wall time; shares are of kernel time, not of the iteration."},
    {"category", "categories",
     "What a kernel is for, read from its name by an ordered list of patterns.",
     "first rule that matches the lower-cased name without its arguments; `deepprof categories "
     "test NAME` shows it",
     "A fused kernel falls under its first telling word. Your own rules go before: --categories "
     "FILE."},
    {"launch delay", "launch_delay",
     "How long an op waits from the start of the call that launched it to its own start.",
     "op start - launch start, ns",
     "Long delays are good: the host runs ahead of the GPU. Near the launch's own length the GPU "
     "waits for the host."},
    {"queue depth", "queued queue", "Ops of a stream that are launched and not finished.",
     "most, and mean over the time in which any is", "1 means that the host is never ahead."},
    {"ceiling", "without-it best",
     "How long an iteration would take at best without what a finding is about.",
     "mean iteration - the time of the finding",
     "Ceilings never add up: time saved in one place may be waited for in another."},
    {"INCONCLUSIVE", "inconclusive",
     "The figures are what was recorded, but they say too little about the job.",
     "records were lost, iterations are uncertain (confidence LOW, repeating block), fewer than 3 "
     "are steady, or they cover less than half of the run",
     ""},
    {"band", "MODERATELY HIGHLY", "The words of a verdict, as XProf uses them.",
     "host outside CUDA: MODERATELY from 5 %, HIGHLY over 20 % of the iteration; launches, "
     "blocking calls, communication, copies, other idle: from 3 %, over 15 %",
     ""},
    {"data quality", "data complete dropped lost",
     "What the trace lacks: records dropped, records without usable times (left out of every "
     "account), ops without launch record.",
     "counted; INCOMPLETE where any loss makes figures too small", ""},
}};

std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') out += static_cast<char>(c - 'A' + 'a');
    else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '/') out += c;
  }
  return out;
}

bool has_alias(const Term& term, const std::string& wanted) {
  const std::string_view aliases = term.aliases;
  for (size_t at = 0; at < aliases.size();) {
    const size_t end = std::min(aliases.find(' ', at), aliases.size());
    if (plain(aliases.substr(at, end - at)) == wanted) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

std::span<const Term> terms() { return kTerms; }

const Term* find_term(std::string_view word) {
  const std::string wanted = plain(word);
  if (wanted.empty()) return nullptr;
  for (const Term& term : kTerms) {
    if (plain(term.name) == wanted) return &term;
  }
  for (const Term& term : kTerms) {
    if (has_alias(term, wanted)) return &term;
  }
  for (const Term& term : kTerms) {
    if (plain(term.name).find(wanted) != std::string::npos ||
        plain(term.aliases).find(wanted) != std::string::npos) {
      return &term;
    }
  }
  return nullptr;
}

std::string explain(const Term& term, size_t width) {
  Page page(width, false);
  page.paragraph("", std::string(term.name) + ": " + term.definition);
  if (*term.formula != 0) page.paragraph("  formula   ", term.formula);
  if (*term.pitfalls != 0) page.paragraph("  pitfall   ", term.pitfalls);
  return page.take();
}

}  // namespace deepprof
