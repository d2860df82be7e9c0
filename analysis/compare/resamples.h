// A run's iterations, resampled in blocks: what the run could as well have looked like.
//
// Neighbouring iterations resemble each other (clocks, temperature, a loader that falls behind), so
// whole blocks of them are drawn; their length follows from how long the durations stay correlated.
// A resample is a weight for every iteration, so that every figure of the run is judged on the same
// resamples. Seeded: the same run gives the same resamples on every machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace deepprof {

// Which iterations a figure is the mean of.
enum class Over : uint8_t {
  typical,  // all but the fastest and the slowest fifth, by duration: outliers do not move it
  all,
};
inline constexpr double kTrimmedShare = 0.2;  // at either end

// Weights that sum to 1.
std::vector<float> weights_of(std::span<const double> durations, Over over);

// How many neighbouring iterations belong together, from the autocorrelation of their durations.
size_t block_length(std::span<const double> durations);

class Resamples {
 public:
  static constexpr size_t kCount = 1000;
  // iterations: below that nothing can be said of their spread
  static constexpr size_t kFewest = 3;

  Resamples() = default;
  Resamples(std::span<const double> durations, uint64_t seed)
      : Resamples(durations, seed, block_length(durations)) {}
  Resamples(std::span<const double> durations, uint64_t seed, size_t block);

  size_t size() const { return size_; }
  bool usable() const { return size_ >= kFewest; }
  size_t block() const { return block_; }
  // As many stretches of the run as can be told apart: the sample size that counts.
  double blocks() const { return static_cast<double>(size_) / static_cast<double>(block_); }

  std::span<const float> point(Over over) const { return of(over).subspan(0, size_); }
  // Precondition: index < kCount.
  std::span<const float> weights(Over over, size_t index) const {
    return of(over).subspan((index + 1) * size_, size_);
  }

 private:
  std::span<const float> of(Over over) const { return over == Over::typical ? typical_ : all_; }

  size_t size_ = 0, block_ = 1;
  std::vector<float> typical_, all_;  // row 0: the run itself, then a row for each resample
};

}  // namespace deepprof
