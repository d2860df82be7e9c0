#include "analysis/report/terms/term_lists.h"

namespace deepprof {
namespace {

constexpr Term kTerms[] = {
    {"rank", "RANKS,ranks,world size,number",
     "A process of a distributed job, with its own file; here also a device of a file with "
     "several. Ranks are set beside each other where several files, or several devices, were "
     "given.",
     "", "A rank whose file names none is told by its file's name."},
    {"collective", "collectives,matched,count of matched",
     "One communication that several ranks take part in: a kernel on each. Matched: those of which "
     "kernels on two ranks or more were found.",
     "the k-th equal name in launch order on each rank, and equal size where both know it and "
     "their ends agree better so; pairs that do not overlap in time are dropped",
     "Groups of ranks that use one kernel at one time cannot be told apart."},
    {"transfer", "= transfer", "What a collective takes once every rank has joined.",
     "the shortest of its kernels, ns",
     "With ranks missing, waiting for those counts as transfer (said where the world size is "
     "known)."},
    {"waiting", "+ waiting,waited most,waited",
     "What a rank waited in its collectives for ranks that joined later.",
     "length of its own kernel - transfer, ns; comm = transfer + waiting + not matched", ""},
    {"not matched", "unmatched",
     "Communication kernels for which no partner on another rank was found.", "summed length, ns",
     "The other rank was not recorded then, or belongs to another group."},
    {"came last", "last,came first,first,others waited,others_waited",
     "Collectives that the others had to wait for this rank in; others waited: how long, on "
     "average, summed.",
     "the rank whose kernel is the shortest joined last; none where several are equally short",
     "Where no one waited long, who was last by a hair tells nothing."},
    {"bandwidth of collectives",
     "mean size,mean_bytes,size from,algorithm_bytes_per_s,bus_bytes_per_s,algorithm bandwidth,bus "
     "bandwidth,busbw,algbw,bus bw,algorithm bw",
     "Bytes of a collective (the larger of what a rank gives and gets) per second of its kernel "
     "(algorithm bandwidth, nccl-tests' algbw); "
     "bus (busbw): what each link carries at that pace, comparable between collectives and with "
     "the "
     "link's speed.",
     "size / kernel time; bus = that x 2(n-1)/n for all-reduce, x (n-1)/n for all-gather, "
     "reduce-scatter and all-to-all, x 1 for broadcast and reduce, n ranks",
     "Waiting for a late rank is in the time, so links may be faster. Bus is n/a where groups of "
     "several sizes communicate, and for SendRecv kernels, which may be anything."},
    {"straggler", "late rank",
     "The rank that the others waited for most: what is slow lies in what it does before its "
     "collectives.",
     "over half of all that was waited for is for this rank, and waiting is at least a twentieth "
     "of communication time",
     "None is named where nobody stands out, and with ranks missing it may be one that is not "
     "here."},
    {"clock", "clock_offset,agrees within,clock_spread,clocks",
     "How far a file's clock is from the first rank's, by the ends of matched collectives, and how "
     "well the ends agree after that.",
     "median distance of the ends, anew every 256 collectives; from three on",
     "Of files only: devices of one file share a clock."},
};

}  // namespace

std::span<const Term> rank_terms() { return kTerms; }

}  // namespace deepprof
