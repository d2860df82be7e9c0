#include "analysis/report/basis_text.h"

#include "analysis/report/units.h"

namespace deepprof {
namespace {

std::vector<int64_t> parts_of(const Account& basis) {
  std::vector<int64_t> parts(basis.exposed_ns.begin(), basis.exposed_ns.end());
  parts.push_back(basis.idle_ns);
  if (basis.not_recorded_ns > 0) parts.push_back(basis.not_recorded_ns);
  return parts;
}

std::vector<int64_t> causes_of(const DeviceFigures& device) {
  std::vector<int64_t> causes;
  for (const CauseFigures& cause : device.causes) causes.push_back(cause.pieces.total_ns);
  return causes;
}

}  // namespace

BasisText::BasisText(const DeviceFigures& device)
    : device_(device),
      parts_(parts_of(device.basis)),
      times_(parts_, device.repetitions),
      shares_(percent_column(parts_)),
      causes_(causes_of(device), device.repetitions, times_, kIdle),
      cause_shares_(percent_column(causes_of(device))) {}

std::string BasisText::in_all(Activity activity) const {
  return time_text(rounded_mean(device_.basis.united(activity), device_.repetitions));
}

std::string BasisText::hidden(Activity activity) const {
  const double united = static_cast<double>(device_.basis.united(activity));
  return percent_text(1 - static_cast<double>(device_.basis.exposed(activity)) / united);
}

}  // namespace deepprof
