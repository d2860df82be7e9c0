// Interned strings: kernel names, API functions, annotations. Ids are dense, stable and start with
// the empty name 0. Not thread-safe. Views stay valid for the life of the table.
//
// Made for millions of them: characters lie in blocks that never move, and a place of the index is
// an id alone, so that a look-up touches two lines of the cache and an end nothing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "libdeepprof/event/event.h"

namespace deepprof {

class NameTable {
 public:
  NameTable() { intern(""); }
  NameTable(const NameTable&) = delete;  // names_ views blocks_
  NameTable& operator=(const NameTable&) = delete;
  NameTable(NameTable&& other) noexcept { *this = std::move(other); }
  // The other is left without names.
  NameTable& operator=(NameTable&& other) noexcept {
    blocks_ = std::exchange(other.blocks_, {});
    next_ = std::exchange(other.next_, nullptr);
    room_ = std::exchange(other.room_, 0);
    names_ = std::exchange(other.names_, {});
    places_ = std::exchange(other.places_, {});
    return *this;
  }

  NameId intern(std::string_view name) {
    if (2 * names_.size() >= places_.size()) grow();
    const size_t hash = std::hash<std::string_view>()(name);
    for (size_t place = hash & (places_.size() - 1);; place = (place + 1) & (places_.size() - 1)) {
      Place& at = places_[place];
      if (at.id == kFree) {
        names_.push_back(kept(name));  // first: it may throw
        at = {static_cast<NameId>(names_.size() - 1), static_cast<uint32_t>(hash)};
        return at.id;
      }
      if (at.hash == static_cast<uint32_t>(hash) && names_[at.id] == name) return at.id;
    }
  }
  // The name of an id; "?" for an id that was never given out.
  std::string_view operator[](NameId id) const {
    return id < names_.size() ? names_[id] : std::string_view("?");
  }
  size_t size() const { return names_.size(); }

 private:
  static constexpr NameId kFree = ~NameId{0};
  static constexpr size_t kBlockBytes = 64 * 1024;
  struct Place {
    NameId id = kFree;
    uint32_t hash = 0;  // its lower half, which is what places are chosen by
  };

  void grow() {
    std::vector<Place> places(std::max<size_t>(64, 2 * places_.size()));
    for (const Place& each : places_) {
      if (each.id == kFree) continue;
      size_t place = each.hash & (places.size() - 1);
      while (places[place].id != kFree) place = (place + 1) & (places.size() - 1);
      places[place] = each;
    }
    places_ = std::move(places);
  }
  // A copy that stays where it is, with a zero behind it.
  std::string_view kept(std::string_view name) {
    const size_t bytes = name.size() + 1;
    if (bytes > room_) {
      const size_t room = std::max(bytes, kBlockBytes);
      blocks_.push_back(std::make_unique_for_overwrite<char[]>(room));
      next_ = blocks_.back().get();
      room_ = room;
    }
    char* const copy = next_;
    std::copy(name.begin(), name.end(), copy);
    copy[name.size()] = 0;
    next_ += bytes;
    room_ -= bytes;
    return {copy, name.size()};
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;  // where the last block is free
  size_t room_ = 0;
  std::vector<std::string_view> names_;
  std::vector<Place> places_;  // a power of two, at most half of them taken
};

}  // namespace deepprof
