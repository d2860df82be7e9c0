// From the address of a kernel's name in CUPTI's record to its id, without reading the name each
// time.
//
// CUPTI hands out the same address for the same kernel, but an address is reused when a module is
// unloaded and another loaded. So the name behind an address is compared with our copy once per
// buffer: as safe as reading every name at decode time (the record was alive when its buffer was
// decoded), at a tenth of the cost. Collector thread only.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "libdeepprof/capture/name_interner.h"

namespace deepprof::cupti {

class NameCache {
 public:
  explicit NameCache(NameInterner& names) : names_(names), entries_(kFirstSlots) {}

  // Call before each buffer: every address is verified again at its first use.
  void begin_buffer() { ++buffer_; }

  NameId id_of(const char* name) {
    if (name == nullptr) return 0;
    Entry& entry = find(name);
    if (entry.address == name && entry.verified_in == buffer_) return entry.id;
    return verify(entry, name);
  }

 private:
  struct Entry {
    const char* address = nullptr;  // null: free
    uint64_t verified_in = 0;
    NameId id = 0;
  };
  static constexpr size_t kFirstSlots = 4096;
  static constexpr size_t kMostSlots = size_t{1} << 17;  // 3 MiB

  // The entry of the address, or the free one where it belongs: open addressing, at most half full.
  Entry& find(const char* name) {
    const size_t mask = entries_.size() - 1;
    size_t at = (reinterpret_cast<uintptr_t>(name) * 0x9e3779b97f4a7c15u >> 20) & mask;
    while (entries_[at].address != name && entries_[at].address != nullptr) at = (at + 1) & mask;
    return entries_[at];
  }

  NameId verify(Entry& entry, const char* name) {
    if (entry.address == nullptr) return insert(name);
    if (std::strcmp(names_.text(entry.id), name) != 0) entry.id = names_.intern(name);
    entry.verified_in = buffer_;
    return entry.id;
  }

  NameId insert(const char* name) {
    if (2 * ++used_ > entries_.size()) make_room();
    const NameId id = names_.intern(name);
    find(name) = {name, buffer_, id};
    return id;
  }

  // Twice the slots; at the limit a fresh start, since a job that has used so many addresses is
  // unloading modules and most of them are gone.
  void make_room() {
    std::vector<Entry> old(entries_.size() < kMostSlots ? 2 * entries_.size() : kMostSlots);
    const bool keep = old.size() > entries_.size();
    old.swap(entries_);
    used_ = 1;
    if (!keep) return;
    for (const Entry& entry : old) {
      if (entry.address == nullptr) continue;
      find(entry.address) = entry;
      ++used_;
    }
  }

  NameInterner& names_;
  std::vector<Entry> entries_;
  size_t used_ = 0;
  uint64_t buffer_ = 1;
};

}  // namespace deepprof::cupti
