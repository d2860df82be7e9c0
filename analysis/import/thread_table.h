// Host threads as trace files name them, a process id and a thread id as text, to Trace::threads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "analysis/import/decimal.h"
#include "analysis/model/trace.h"

namespace deepprof {

class ThreadTable {
 public:
  explicit ThreadTable(Trace& trace) : trace_(trace) {}

  // Index of the thread; entered when it is new.
  uint32_t index(std::string_view pid, std::string_view tid) {
    // Events of one thread come in long rows.
    if (last_ != kNone && pid == last_pid_ && tid == last_tid_) return last_;
    last_pid_ = pid;
    last_tid_ = tid;
    const auto [found, added] =
        indices_.try_emplace(key(pid, tid), static_cast<uint32_t>(trace_.threads.size()));
    if (added) {
      Thread thread;
      thread.pid = static_cast<uint32_t>(integer_of(pid).value_or(0));
      const auto number = integer_of(tid);
      thread.tid = static_cast<uint64_t>(number.value_or(0));
      if (!number) thread.name = tid;
      trace_.threads.push_back(std::move(thread));
    }
    return last_ = found->second;
  }

  // Names may precede or follow the events of their thread; those of threads without events are
  // dropped.
  void set_name(std::string_view pid, std::string_view tid, std::string name) {
    names_[key(pid, tid)] = std::move(name);
  }
  void apply_names() {
    for (const auto& [thread, name] : names_) {
      if (const auto found = indices_.find(thread); found != indices_.end())
        trace_.threads[found->second].name = name;
    }
  }

 private:
  static std::string key(std::string_view pid, std::string_view tid) {
    return std::string(pid).append(1, '\n').append(tid);
  }

  Trace& trace_;
  std::unordered_map<std::string, uint32_t> indices_;
  std::unordered_map<std::string, std::string> names_;
  std::string last_pid_, last_tid_;
  uint32_t last_ = kNone;
};

}  // namespace deepprof
