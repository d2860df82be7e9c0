// Interned strings: kernel names, API functions, annotations. Ids are dense, stable and start with
// the empty name 0. Not thread-safe. Views stay valid for the life of the table.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "libdeepprof/event/event.h"

namespace deepprof {

class NameTable {
 public:
  NameTable() { intern(""); }
  NameTable(const NameTable&) = delete;  // the index holds views into names_
  NameTable& operator=(const NameTable&) = delete;
  NameTable(NameTable&&) = default;
  NameTable& operator=(NameTable&&) = default;

  NameId intern(std::string_view name) {
    if (auto found = ids_.find(name); found != ids_.end()) return found->second;
    const auto id = static_cast<NameId>(names_.size());
    names_.emplace_back(name);
    ids_.emplace(names_.back(), id);
    return id;
  }
  // The name of an id; "?" for an id that was never given out.
  std::string_view operator[](NameId id) const {
    return id < names_.size() ? std::string_view(names_[id]) : "?";
  }
  size_t size() const { return names_.size(); }

 private:
  std::deque<std::string> names_;  // a deque never moves its elements
  std::unordered_map<std::string_view, NameId> ids_;
};

}  // namespace deepprof
