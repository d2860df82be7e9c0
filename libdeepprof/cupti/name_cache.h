// From the address of a kernel's name in CUPTI's record to its id, without reading the name each time.
//
// CUPTI hands out the same address for the same kernel, but an address is reused when a module is unloaded
// and another loaded. So the name behind an address is compared with our copy once per buffer: as safe as
// reading every name at decode time (the record was alive when its buffer was decoded), at a tenth of
// the cost. Collector thread only.
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
    Entry& entry = entries_[slot_of(name)];
    if (entry.address == name && entry.verified_in == buffer_) return entry.id;
    return verify(entry, name);
  }

 private:
  struct Entry {
    const char* address = nullptr;
    uint64_t verified_in = 0;
    NameId id = 0;
  };
  static constexpr size_t kFirstSlots = 4096;

  size_t slot_of(const char* name) const {
    const auto bits = reinterpret_cast<uintptr_t>(name);
    return (bits * 0x9e3779b97f4a7c15u >> 20) & (entries_.size() - 1);
  }

  // A direct-mapped cache: two addresses that share a slot take turns, at the price of a look-up by content.
  NameId verify(Entry& entry, const char* name) {
    if (entry.address != name || std::strcmp(names_.text(entry.id), name) != 0) {
      entry.address = name;
      entry.id = names_.intern(name);
    }
    entry.verified_in = buffer_;
    return entry.id;
  }

  NameInterner& names_;
  std::vector<Entry> entries_;
  uint64_t buffer_ = 1;
};

}  // namespace deepprof::cupti
