// The filters that verbs share: which part of a trace is meant.
//
//   --device 0   --iter 10-12   --section training   --stream 7   --rank 3   --from 1.5s   --to 2s
//
// A verb that computes on ops narrows the trace with keep_selected(); a verb whose rows are
// iterations, devices or streams filters the finished table with keep_rows().
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "analysis/iterations/mined.h"
#include "analysis/model/trace.h"
#include "analysis/report/table.h"

namespace deepprof {

class Filters {
 public:
  void add_to(CLI::App& app);

  // Checks the words and turns times into the trace's clock. Call once, before the others.
  absl::Status resolve(const Trace& trace);

  bool any() const;
  // Some filter looks at single ops (stream or time): only then must the trace be narrowed for
  // figures of iterations, whose idle time lies between ops of neighbours.
  bool by_op() const { return stream_ || from_ns_ || to_ns_; }
  bool by_iteration() const { return first_iteration_ || !section_.empty(); }
  std::optional<int64_t> device() const { return device_; }
  bool keeps_device(uint16_t device) const { return !device_ || *device_ == device; }
  bool keeps_iteration(const DeviceMined& mined, size_t index) const;
  std::optional<int64_t> first_iteration() const { return first_iteration_; }
  // Takes ops that are not meant out of the trace, and out of the answer of the miner: iterations
  // and sections that are not meant go, the positions of the others are renumbered. Host calls
  // stay: gaps need to know what the host did before.
  void keep_selected(Trace& trace, Mined& mined) const;
  // Takes rows out whose column device, iteration, section, stream, rank, start_ns or end_ns says
  // so.
  void keep_rows(Table& table) const;

 private:
  bool keeps_op(const Op& op) const;
  bool keeps_row(const Table& table, const std::vector<Cell>& row) const;

  std::optional<int64_t> device_, stream_, rank_;
  std::string iterations_, section_, from_, to_;
  std::optional<int64_t> first_iteration_, last_iteration_;  // both ends included
  std::optional<int64_t> from_ns_, to_ns_;
};

}  // namespace deepprof
