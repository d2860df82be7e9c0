#include "test/fake/cupti/settings.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

namespace deepprof::fake {
namespace {

const char* text(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}
int64_t number(const char* name, int64_t otherwise = 0) {
  return *text(name) ? atoll(text(name)) : otherwise;
}

Settings* read_environment() {
  auto* s = new Settings;
  s->fail = text("FAKE_CUPTI_FAIL");
  s->flush_blocks_ms = number("FAKE_CUPTI_FLUSH_BLOCKS_MS");
  s->forced_blocks_ms = number("FAKE_CUPTI_FORCED_BLOCKS_MS");
  s->worker_late_ms = number("FAKE_CUPTI_LATE_MS");
  s->withhold = number("FAKE_CUPTI_WITHHOLD") != 0;
  s->bad_times_every = static_cast<uint64_t>(number("FAKE_CUPTI_BAD_TIMES"));
  s->unknown_every = static_cast<uint64_t>(number("FAKE_CUPTI_UNKNOWN"));
  s->alien = number("FAKE_CUPTI_ALIEN") != 0;
  s->truncate_every = static_cast<uint64_t>(number("FAKE_CUPTI_TRUNCATE"));
  s->reverse = strcmp(text("FAKE_CUPTI_ORDER"), "reverse") == 0;
  s->per_thread = static_cast<int>(number("FAKE_CUPTI_PER_THREAD", -1));
  s->exit_delivers = number("FAKE_CUPTI_EXIT_DELIVERS") != 0;
  s->own_threads = number("FAKE_CUPTI_OWN_THREADS") != 0;
  s->account = text("FAKE_CUPTI_ACCOUNT");
  return s;
}

// Is this one of the calls that `range` ("2-4") means, of those that `item` has matched so far?
bool is_meant_now(const std::string& item, const std::string& range) {
  if (range.empty()) return true;
  static std::mutex mutex;
  static auto* const seen = new std::map<std::string, uint64_t>;
  const std::lock_guard lock(mutex);
  const uint64_t now = ++(*seen)[item];
  unsigned long long first = 0, last = 0;
  return sscanf(range.c_str(), "%llu-%llu", &first, &last) == 2 && now >= first && now <= last;
}

}  // namespace

const Settings& settings() {
  // never destroyed: used while the process ends
  static const Settings* const it = read_environment();
  return *it;
}

int demanded_error(const char* function, int64_t kind) {
  const std::string& list = settings().fail;
  for (size_t from = 0; from < list.size();) {
    const size_t to = std::min(list.find(',', from), list.size());
    const std::string item = list.substr(from, to - from);
    const size_t equals = item.find('='), at = std::min(item.find('@'), equals);
    const std::string left = item.substr(0, at);
    const bool meant = left == function ||
                       (kind >= 0 && left == std::string(function) + ":" + std::to_string(kind));
    from = to + 1;
    if (!meant || equals == std::string::npos) continue;
    const std::string range = at == equals ? "" : item.substr(at + 1, equals - at - 1);
    if (is_meant_now(item, range)) return atoi(item.c_str() + equals + 1);
  }
  return 0;
}

}  // namespace deepprof::fake
