// Runs of one job in several configurations beside each other: batch sizes, GPUs (or the CPU), any
// label given with DEEPPROF_TAG_<NAME>. Says which is best by time, by energy and by cost, and what
// more of it would bring.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/compare/run_profile.h"
#include "analysis/report/table.h"

namespace deepprof {

struct SweepOptions {
  std::string by;  // "batch", "gpu", "tag:NAME"; empty: whatever differs between the runs
  // Per hour and GPU, by part of the GPU's name or of the run's label; "CPU" is a run without one.
  std::vector<std::pair<std::string, double>> prices;
};

struct SweepPoint {
  const RunProfile* run = nullptr;
  std::string value;               // of what is varied: "64", "NVIDIA H200"
  double number = 0;               // the value where it is one; NaN: it is not
  double time_ns = 0;              // per iteration, mean of all; NaN below where not known
  double low_ns = 0, high_ns = 0;  // 99 % interval of that
  double items_per_s = 0;
  double energy_per_item_mj = 0;
  double price_per_hour = 0;  // of all its GPUs
  // of a million items; of a million iterations where the batch is not known
  double cost = 0;
  double pace = 0;  // items (or iterations) per second against the first run
};

struct Sweep {
  std::string by;
  // every batch is known: configurations are judged by item, else by iteration
  bool per_item = false;
  bool has_prices = false;
  std::vector<SweepPoint> points;  // by number where all have one, else as given
  std::vector<std::string> findings;
};

// `runs` must outlive the result. Precondition: not empty.
Sweep sweep_runs(std::span<const RunProfile> runs, const SweepOptions& options);

// A row for each run. For people columns that no run has are left out.
Table sweep_table(const Sweep& sweep, bool for_people);

// The findings, a paragraph each, in `width` columns (0: 100).
std::string sweep_text(const Sweep& sweep, int width);

// True if `by` is a word that SweepOptions::by takes.
bool is_sweep_word(const std::string& by);

// The sentences of Sweep::findings (sweep_findings.cc).
std::vector<std::string> sweep_findings(const Sweep& sweep);

}  // namespace deepprof
