#include "analysis/report/terms/term_lists.h"

namespace deepprof {
namespace {

constexpr Term kTerms[] = {
    {"iteration", "step,iterations,ITERATIONS,found",
     "A group of GPU ops that comes back again and again in the order in which the host launched "
     "them: one training step, one evaluation batch, one decode step. Found without any "
     "annotation.",
     "ops belong to an iteration by launch order; its window runs from the start of its first op "
     "on the main stream to the same of the next iteration, so windows tile a section without "
     "holes",
     "A last window ends with its last op and so leaves out the wait that would follow. No "
     "iteration structure is an honest answer; then all figures are of the whole run."},
    {"repeating block", "block,repeating blocks,kind",
     "Ops that repeat, but with nothing (no optimizer, no copy of a batch, no pause of the host) "
     "to show that a repetition is an iteration.",
     "", "It may be a layer, a micro-step, or several iterations."},
    {"pattern", "ops per iteration,ops,ops in the pattern,of GPU ops",
     "How many GPU ops an iteration holds.",
     "median over the iterations; column ops: of this iteration", ""},
    {"coverage", "covers", "How much of the GPU's work lies in iterations.",
     "summed durations of ops in complete iterations of at most 8 times the usual number of ops / "
     "summed durations of all ops of the device",
     ""},
    {"confidence", "sure",
     "How sure the miner is of level and borders of the iterations: high from 0.8, medium from "
     "0.5, else LOW.",
     "see docs/mining.md; lower where marks of the job or unlike iterations speak against it "
     "(docs/metrics.md)",
     "Low confidence with high coverage often means that layers or micro-steps compete with "
     "iterations."},
    {"section", "warm-up,training,steady,evaluation,checkpoint,irregular,excluded,sections,stretch",
     "A stretch of the run of one kind: warm-up, training, evaluation, checkpoint, irregular. "
     "Training is called steady where nothing shows that it is training (inference). Figures per "
     "iteration are of its complete iterations; what is left out is listed as excluded, each with "
     "its time.",
     "training: an optimizer was found, or a kernel or annotation is named for a backward pass; as "
     "a "
     "trend, steady is within 5 %",
     "The kind is told from what the ops look like: an evaluation without a pause of its own may "
     "count as training."},
    {"counted iterations", "counted,scope,basis",
     "The iterations that figures per iteration are of: the complete ones of the training "
     "sections; where there are none all complete ones, else all. A table's column scope says "
     "whether a row is of the run, of one section, or of these.",
     "",
     "kernels, categories and gaps --by-cause are of these, too, and say so; --whole-run: of all."},
    {"partial", "cut by an end of the recording",
     "An iteration of which a part was not recorded: the recording begins or ends in it, or has a "
     "hole in it.",
     "", "Its window is too short, so it is listed but never counted."},
    {"level", "repeats at,levels",
     "Patterns nest: kernels form layers, layers an iteration, iterations an epoch. A level is one "
     "length at which the ops repeat. The line names the best ones beside the level that was "
     "chosen, with how many of them an iteration holds.",
     "median ops of a repetition",
     "If one of them is your iteration, the choice was wrong: see decided by."},
    {"cut", "phase,place of the cut",
     "A pattern that repeats may be cut into iterations at any of its ops; the cut (its phase) is "
     "where an iteration begins: behind an optimizer run, at an input copy, at a pause of the "
     "host.",
     "",
     "Another cut changes no mean, but moves time between neighbours: a wait counts to the "
     "iteration that it ends."},
    {"structure", "layer,micro-step,optimizer block,nested,contents return",
     "What repeats exactly inside the usual iteration: N x layer of M ops, micro-steps (gradient "
     "accumulation), blocks of the optimizer. Contents return every K iterations: each is "
     "like the one K before it.",
     "maximal repeats of the op sequence within an iteration",
     "A name for a shape: a block that repeats need not be a layer of the model."},
    {"decided by", "decided_by",
     "The evidence by which this level and this cut were taken for the iteration: an optimizer run "
     "in each, an input copy, a pause of the host, a result read back, or nothing but the "
     "repetition.",
     "", "Nothing but the repetition is weak: confidence is low then."},
    {"iteration time",
     "time,time per "
     "iteration,median,mean,p95,it/s,iterations/s,throughput,iterations_per_s,items_per_s,items/"
     "s,steps/s,mean iteration,per iteration,typical iteration,newest,wall time",
     "The length of the windows of the counted iterations.",
     "end - start of the window; it/s = 1 / mean; items/s = it/s x batch; percentiles by nearest "
     "rank",
     "The first iterations (autotuning, caches) belong to warm-up when they differ; else they "
     "raise the mean: compare with the median."},
    {"batch", "items,item,per item,items per iteration",
     "How many items (images, sequences, requests) an iteration takes: from --batch or "
     "DEEPPROF_BATCH. Figures per item divide by it.",
     "", "Of one process. It cannot be seen in a trace."},
    {"trend", "steady,slower,faster", "Whether iterations get slower or faster during the run.",
     "median of the last tenth of the iteration times / median of the first tenth - 1; from 20 "
     "iterations on; steady within 5 %; none beyond chance: the last third is not longer or "
     "shorter than the first by more than iterations vary (Mann and Whitney's test, 1 %)",
     "A change of the input (longer sequences) looks the same as a throttled GPU."},
    {"slow iteration", "slow,z,worst,over median,excess,most of it from,grown most,longest wait",
     "An iteration that stands out, by how much it is over the median, and the part that grew most "
     "in it.",
     "modified z = 0.6745 (x - median) / MAD > 3.5 and more than 10 % over the median (MAD 0: the "
     "10 % alone); growth of a part = its time - its median over all counted iterations",
     "With fewer than some ten iterations the median absolute deviation says little."},
    {"whole run", "WHOLE RUN,run,GPU ops counted",
     "As a basis: figures from the first GPU op to the last, because no iterations were found. As "
     "a section of the report: what was counted while the job ran, of every op, even of those that "
     "are not in the file any more.",
     "",
     "The section's quantiles come from a histogram: within 1.6 %. Ops that came too fast to be "
     "followed are named."},
    {"let go", "left,raw events,ceiling of the file",
     "Raw events that were taken out of the file again to keep DEEPPROF_MAX_FILE. What stays: the "
     "first iterations, the slowest and the newest. The line left names their numbers.",
     "counted in events",
     "Statistics of the whole run still hold them; sections of the report about raw events do "
     "not."},
    {"steps", "STEPS,optimizer steps,step time,steps/s,steps_per_s",
     "Steps of an optimizer, told by PyTorch's own hooks (deepprof run --steps): from the end of "
     "one to the end of the next. The iterations of a job without a GPU, and a check of the mined "
     "ones of a job with one.",
     "of the optimizer that steps most",
     "A job may have several optimizers, and step one of them several times in what you call an "
     "iteration."},
    {"marked steps",
     "marked,marked step,marker,marked_steps,MARKED STEPS,outside,iterations outside,matched,"
     "iterations in a step,iterations_per_step,steps in an iteration,steps_per_iteration,shift,"
     "farthest,of an iteration,starts,starts agree,most starts agree,starts within,"
     "ranges",
     "Steps that the job or its profiler marked (ProfilerStep#N, numbered NVTX ranges, JAX's step "
     "annotations, optimizer steps), set beside the iterations that were found without them. "
     "Marks are a check; they never decide what an iteration is.",
     "an op is of the step in which its launch began; a step and an iteration match where either "
     "holds over half of the other's ops; shift and farthest: start of the iteration less start "
     "of the step's first op on the main stream, median and most, of an iteration's median",
     "A mark may span several steps, or a part of one; a profiler may begin between steps. Where "
     "an iteration is cut is a matter of choice: a shift that is always the same changes no "
     "mean."},
    {"optimizer", "in the optimizer,optimizer time,optimizer_ratio",
     "The part of a step that the host spends in optimizer.step().",
     "summed time in the optimizer / summed time of the steps",
     "On a GPU the host only launches there: not the GPU's time."},
};

}  // namespace

std::span<const Term> iteration_terms() { return kTerms; }

}  // namespace deepprof
