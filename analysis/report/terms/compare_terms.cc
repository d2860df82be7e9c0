#include "analysis/report/terms/term_lists.h"

namespace deepprof {
namespace {

constexpr Term kTerms[] = {
    {"typical", "typical time,a,b,figure,over,baseline,change,%,mean of all",
     "A figure of the typical iteration: the mean without the fastest and the slowest fifth, so "
     "that a few stalls do not move it. The mean of all is what a job's length follows from.",
     "change = b - a; % of a",
     "Parts add up to the typical iteration; they do not add up to the mean of all."},
    {"99 % interval", "interval,low,high,iteration_low,iteration_high,confidence interval",
     "Where the change lies if the two runs' iterations were drawn anew.",
     "quantiles over 1,000 resamples of the iterations, in blocks (circular block bootstrap)",
     "Of these two runs: what differs between any two starts (clocks, neighbours) looks like a "
     "change."},
    {"beyond chance", "chance,by chance,differs,same,small,unclear,new,gone,not tested,verdict",
     "Whether a difference is more than iterations vary by themselves. differs: it is, and large "
     "enough to matter; small: it is, by under 1 % of the iteration (other figures: of "
     "themselves; shares: one point; temperatures: one degree); same: it is not; unclear: large, "
     "and its interval leaves out 0, but with "
     "so few iterations it may be chance; new, gone: 0 in every iteration of one run, large and "
     "too "
     "uneven in the other to say how much; not tested: too few iterations, or known for the whole "
     "run only.",
     "chance: Welch's t on the bootstrap's standard errors; chances of one table together under 1 "
     "% (Holm), and the change at least 1 % of the iteration",
     "Same means not shown to differ. Record more iterations where a row is unclear."},
    {"added", "removed,replaced,slower op,GPU OPS THAT CHANGED,calls,changes,count_a,count_b",
     "What became of an op between two runs: added or removed at places of the pattern, replaced "
     "by another of the same category between the same neighbours, slower or faster where both "
     "have it.",
     "places matched by alignment of the patterns, then by name; slower and faster: beyond chance "
     "and at least 3 % of its time",
     "An op that only moved is no change."},
    {"gate", "--gate,limit",
     "compare --gate PERCENT: exit code 3 where a run is slower than the first by more than that, "
     "beyond chance.",
     "typical or mean time grew by more than the limit, chances of both together under 1 %, the "
     "interval above 0; per item where batches differ",
     "Exit code 2 where the runs cannot tell: no iterations, too few or too unlike ones for the "
     "limit, records lost."},
    {"sweep", "by,value,run,x first,pace,configuration,tag",
     "A row for each run by what was varied (--by batch, gpu, tag:NAME), and which is best by "
     "time, energy and cost.",
     "x first: items/s (iterations/s where no batch is known) against the first row", ""},
    {"cost", "price,per M items,per M iterations", "What a million items cost at --price.",
     "price of an hour x GPUs / 3,600 / (items/s) x 1,000,000",
     "The run's own GPUs; nothing for the host."},
    {"saturated", "far from saturated,fixed part,efficiency",
     "Whether a larger batch still brings items/s; fixed part: the time of an iteration that does "
     "not grow with the batch; efficiency: pace per device against the first row.",
     "saturated: the last step's gain is under 10 % of it, far from saturated: over 60 %; fixed "
     "part: least squares of iteration time over batch",
     "A straight line need not hold."},
    {"recorded by", "recorded_by", "The tool that recorded the trace.", "",
     "Other tools keep other things: compare alike."},
    {"copied to the device", "copied to the host,copied_in,copied_out,copied",
     "Bytes of the copies of an iteration, by direction.", "", ""},
};

}  // namespace

std::span<const Term> compare_terms() { return kTerms; }

}  // namespace deepprof
