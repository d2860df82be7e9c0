#include "inject/get_ready.h"

#include <algorithm>

#include "inject/log.h"
#include "inject/notice.h"

namespace deepprof {
namespace {

bool rank_is_wanted(const Options& options, const Rank& rank) {
  return options.ranks.empty() || rank.rank < 0 ||
         std::find(options.ranks.begin(), options.ranks.end(), rank.rank) != options.ranks.end();
}

}  // namespace

bool get_ready(Options& options, const Rank& rank) {
  if (options.disabled || !rank_is_wanted(options, rank)) return false;
  if (!options.log_path.empty() && !open_log(options.log_path)) {
    options.complaints.push_back("cannot open the log " + options.log_path);
  }
  for (const std::string& complaint : options.complaints) notice(complaint);
  return true;
}

}  // namespace deepprof
