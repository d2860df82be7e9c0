// The answer of the miner, for one device and for a whole trace. Filled by mine() (mine.h), read by
// the breakdown, the gaps and the report.
//
// Positions are indices into `DeviceMined::order`, the device's ops in launch order, so membership
// of an op in an iteration is a matter of position and never of time. Windows are times
// (docs/metrics.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace deepprof {

// The usual iterations are training where something shows it (an optimizer, a backward pass), else
// steady: the requests or decode steps of a server, say.
enum class SectionKind : uint8_t { warm_up, training, steady, evaluation, checkpoint, irregular };
const char* section_name(SectionKind kind);  // "warm-up", "training", "evaluation", ...
inline bool is_usual(SectionKind kind) {
  return kind == SectionKind::training || kind == SectionKind::steady;
}

enum class Verdict : uint8_t {
  none,             // no iteration structure found
  repeating_block,  // repeats, but nothing shows that it is an iteration
  iteration,
};
// The borders of confidence that people are told: below the first it is LOW, from the second on
// high.
inline constexpr double kLowBelow = 0.5, kHighFrom = 0.8;
inline bool is_low(double confidence) { return confidence < kLowBelow; }
// For people; programs have the number.
inline const char* confidence_word(double confidence) {
  return confidence >= kHighFrom ? "high" : is_low(confidence) ? "LOW" : "medium";
}
const char* verdict_name(Verdict verdict);  // "none", "repeating block", "iteration"

struct Iteration {
  uint32_t first = 0, last = 0;                // positions in launch order, half-open
  int64_t start_ns = 0, end_ns = 0;            // window: tiles its section where all was recorded
  int64_t span_start_ns = 0, span_end_ns = 0;  // first op start to last op end of its members
  // of the first op in launch order whose launch is known
  uint32_t first_correlation = 0;
  uint32_t section = 0;  // index into DeviceMined::sections
  // what people call it: counted over the run, never descending
  int64_t number = 0;
  bool partial = false;  // cut by an end of the recording, or by a hole in it
};

struct Section {
  SectionKind kind = SectionKind::irregular;
  uint32_t first = 0, last = 0;  // positions in launch order, half-open
  int64_t start_ns = 0, end_ns = 0;
  uint32_t iterations = 0;
  double share_of_gpu_time = 0;  // of the summed durations of the device's ops, 0..1
};

// A level at which the ops repeat: one of those that mine() weighed.
struct Level {
  double ops = 0;       // median ops per repetition
  uint32_t count = 0;   // repetitions
  double coverage = 0;  // share of the device's ops inside them, 0..1
  std::string about;    // "layers", "micro-steps", "pair of iterations", ...
};

// A block that repeats exactly inside the usual iteration.
enum class NestedPart : uint8_t { layer, micro_step, update };
struct Nested {
  // 0: in the iteration; 1: in a block of the last one of depth 0 before it; ...
  uint32_t depth = 0;
  uint32_t first = 0;  // op of the iteration at which the first block begins
  uint32_t ops = 0;    // in a block
  uint32_t count = 0;  // blocks
  NestedPart part = NestedPart::layer;
};

struct DeviceMined {
  uint16_t device = 0;
  Verdict verdict = Verdict::none;
  std::vector<uint32_t> order;        // indices into Trace::ops, in launch order
  bool launch_order = false;          // false: no correlation ids, ordered by start on the device
  std::vector<Section> sections;      // tile [0, order.size()) without holes when verdict != none
  std::vector<Iteration> iterations;  // ordered by position
  double confidence = 0;              // 0..1; below .5 is flagged in the summary
  double coverage = 0;                // share of GPU time inside complete iterations
  double ops_per_iteration = 0;       // median
  std::vector<Level> levels;          // the chosen one first
  std::vector<Nested> nested;         // what the usual iteration consists of
  uint32_t cycle = 0;                 // iterations whose contents return every so many; 0: none
  std::string decided_by;             // what chose level and cut, one clause
  std::string second_opinion;         // what the distance histogram says, one clause; empty: agrees
  std::string reason;                 // verdict none: why

  // The index of the iteration with this number, if the recording has it.
  std::optional<uint32_t> find(int64_t number) const;
  // "iterations 0 to 99", "iterations 0 to 20 and 840 to 1022": the numbers that there are.
  std::string numbers_text() const;
};

struct Mined {
  std::vector<DeviceMined> devices;  // ascending device number
};

}  // namespace deepprof
