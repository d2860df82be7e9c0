// The filters that verbs share: which part of a trace is meant.
//
//   --device 0   --iter 10-12   --section training   --stream 7   --rank 3   --from 1.5s   --to 2s
//
// Figures are computed for a view() of the trace; an export narrows the trace itself with
// keep_selected(); rows of a finished table are filtered with keep_rows().
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analysis/cli/keep_host.h"
#include "analysis/iterations/mined.h"
#include "analysis/model/trace.h"
#include "analysis/report/table.h"
#include "analysis/report/view.h"

namespace deepprof {

class Filters {
 public:
  void add_to(CLI::App& app);

  // Checks the words and turns times into the trace's clock. An error where a filter names what the
  // trace does not hold: a typing mistake must not look like an empty answer. Call once, before the
  // others.
  absl::Status resolve(const Trace& trace, const Mined& mined);
  // The same for --rank, of which several files together hold one or more.
  absl::Status check_rank(const std::vector<int>& known) const;
  std::optional<int64_t> rank() const { return rank_; }

  bool any() const;
  bool by_stream() const { return stream_.has_value(); }
  bool by_time() const { return from_ns_ || to_ns_; }
  bool by_iteration() const { return !iterations_.empty() || !section_.empty(); }
  // `iterations`: those named become the basis of the figures; false leaves them to keep_rows().
  // The view refers to this.
  View view(bool iterations = true) const;
  bool keeps_iteration(const DeviceMined& mined, size_t index) const;
  // For verbs that show one iteration: an error where --iter names several.
  absl::StatusOr<std::optional<int64_t>> one_iteration() const;
  // Takes ops that are not meant out of the trace, and out of the answer of the miner: iterations
  // and sections that are not meant go, the positions of the others are renumbered. Of the host
  // stays what touches the stretch that was asked for; of an iteration, from its first launch to
  // the end of its window (keep_host.h).
  void keep_selected(Trace& trace, Mined& mined) const;
  // Takes rows out whose column device, iteration, section, stream, rank, start_ns or end_ns says
  // so.
  void keep_rows(Table& table) const;

 private:
  absl::Status resolve_words();
  absl::Status resolve_times(const Trace& trace);
  absl::Status check_held(const Trace& trace, const Mined& mined) const;
  absl::Status check_iterations(const Mined& mined) const;
  bool keeps_op(const Op& op) const;
  Scope scope_of(const Trace& trace, const Mined& mined) const;
  bool keeps_row(const Table& table, const std::vector<Cell>& row) const;

  std::optional<int64_t> device_, stream_, rank_;
  std::string iterations_, section_, from_, to_;
  const char* until_option_ = "--to";                        // what to_ is called in messages
  std::optional<int64_t> first_iteration_, last_iteration_;  // both ends included
  std::optional<int64_t> from_ns_, to_ns_;
};

}  // namespace deepprof
