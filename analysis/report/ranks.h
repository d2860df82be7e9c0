// The ranks of a job side by side: the devices of one trace, or of several traces (one file a
// rank). Files are added one by one and need not stay loaded: what is kept of each is a line of
// figures and its communication.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/breakdown/account.h"
#include "analysis/findings/device_findings.h"
#include "analysis/model/name_table.h"
#include "analysis/ranks/collectives.h"
#include "analysis/report/figures.h"
#include "analysis/report/page.h"
#include "analysis/report/sections.h"
#include "analysis/report/table.h"

namespace deepprof {

struct RankFigures {
  int rank = -1;             // -1: the file names none
  int world_size = -1;       // likewise
  int collective_ranks = 0;  // that take part in every collective; 0: not known, or not one number
  uint16_t device = 0;
  std::string label;  // "rank 3", "GPU 1", "rank 3 GPU 1"
  std::string file;
  bool has_iterations = false;
  int64_t repetitions = 1;
  Account basis;
  ShareOfWork share;
  // By which ranks of one job are told from files of several.
  std::string program;                              // empty: not known
  std::optional<Window> ran_at;                     // since 1970
  std::vector<std::pair<NameId, int64_t>> compute;  // kernels that take most time, and how much
};

// Three vectors side by side: one entry a rank.
struct Ranks {
  NameTable names;  // of kernels, shared by all ranks
  std::vector<RankFigures> figures;
  std::vector<CommunicationOfRank> communication;
  size_t files = 0;

  // Of a job with more ranks than are here: what these waited for the others counts as transfer.
  bool lacks_ranks() const {
    for (const RankFigures& rank : figures) {
      if (rank.world_size > static_cast<int>(figures.size())) return true;
    }
    return false;
  }
  // "rank 3 is in two files: A and B"; empty: each rank is there once.
  std::string repeated() const;
  // A sentence where the files look like those of several jobs: of different sizes, programs,
  // times, kernels; else empty.
  std::string of_several_jobs() const;
  // Filled by compare_ranks():
  std::string doubt;  // of_several_jobs(): then nothing is matched, and nobody is to blame
  MatchedRanks matched;
  std::vector<RankCommunication> sums;
  uint32_t straggler = kNotThere;
};

// Adds each device of a trace, with the communication that its figures show. `several_files`: more
// than this trace will be added, so a rank is told by its file.
void add_ranks(const Trace& trace, const Figures& figures, const std::string& file,
               bool several_files, Ranks& ranks);

// Call once, after the last was added: sorts by rank and device, matches, finds the straggler.
void compare_ranks(Ranks& ranks);

// "2 ranks of a job of 8: ...": what figures lack where lacks_ranks().
std::string lacking_text(const Ranks& ranks);

// A row a rank: its iteration, its communication split into transfer and waiting, its clock.
Table ranks_table(const Ranks& ranks);
// A row for each collective and size (power of two) of each stream of each rank.
Table communication_table(const Ranks& ranks, Names names);
// A row for each matched collective, in order: who came last and how long the others waited. For
// people `start` is a time since the first one, for programs one of the first participant's clock.
Table collectives_table(const Ranks& ranks, Names names);

// What is uneven between the ranks' GPUs: compute time, and what was sampled of them.
Findings rank_findings(const Ranks& ranks);
Table rank_findings_table(const Ranks& ranks, Names names);

// The section RANKS of the summary; nothing where there is one rank or no communication.
void ranks_part(const Ranks& ranks, Page& page);

}  // namespace deepprof
