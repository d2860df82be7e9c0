// Where a machine shows the temperature and the energy of its processors: by what its drivers call
// them, which differ by vendor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libdeepprof/sample/kernel_file.h"

namespace deepprof {

// One a package, in thousandths of a degree. Empty: none is known by its name.
std::vector<KernelFile> find_thermometers(const std::string& root);

// Of microjoules, one a package or a die of one, that do not overlap: their sum is the processors'
// energy.
struct EnergyCounter {
  KernelFile file;
  int64_t range_uj = 0;  // it starts again after so many; 0: it does not
};
std::vector<EnergyCounter> find_energy_counters(const std::string& root);

}  // namespace deepprof
