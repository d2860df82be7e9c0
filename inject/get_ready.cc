#include "inject/get_ready.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "inject/log.h"
#include "inject/notice.h"
#include "libdeepprof/sample/kernel_file.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

bool rank_is_wanted(const Options& options, const Rank& rank) {
  return options.ranks.empty() || rank.rank < 0 ||
         std::find(options.ranks.begin(), options.ranks.end(), rank.rank) != options.ranks.end();
}

// What a limit of address space (ulimit -v) leaves; without one all there is.
uint64_t address_space_left() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return UINT64_MAX;
  KernelFile sizes("/proc/self/statm");
  const auto mapped = static_cast<uint64_t>(sizes.read_number().value_or(0)) *
                      static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  return limit.rlim_cur - std::min<uint64_t>(mapped, limit.rlim_cur);
}

}  // namespace

bool get_ready(Options& options, const Rank& rank, uint64_t mapped_bytes) {
  if (options.disabled || !rank_is_wanted(options, rank)) return false;
  if (!options.log_path.empty() && !open_log(options.log_path)) {
    options.complaints.push_back("cannot open the log " + options.log_path);
  }
  for (const std::string& complaint : options.complaints) notice(complaint);
  const uint64_t left = address_space_left();
  if (left / 2 >= mapped_bytes) return true;
  notice(
      format_text("nothing is recorded: the limit of address space (ulimit -v) leaves %llu MiB, "
                  "too little for the job beside the %llu MiB of a recording",
                  static_cast<unsigned long long>(left >> 20),
                  static_cast<unsigned long long>(mapped_bytes >> 20)));
  return false;
}

}  // namespace deepprof
