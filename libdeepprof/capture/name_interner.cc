#include "libdeepprof/capture/name_interner.h"

#include <cstring>
#include <functional>

namespace deepprof {
namespace {

constexpr size_t kBlockBytes = size_t{64} << 10;
// Beside its characters a name costs its entries in the three tables.
constexpr size_t kEntryBytes = sizeof(std::string_view) + sizeof(size_t) + 2 * sizeof(uint64_t);
constexpr std::string_view kPlaceholder = "(name table full)";

}  // namespace

NameInterner::NameInterner(DefinitionLog& log, LossCounters& losses, size_t most_bytes)
    : log_(log), losses_(losses), most_bytes_(most_bytes), slots_(1024) {}

NameId NameInterner::intern(std::string_view name) {
  if (name.empty()) return 0;
  const size_t hash = std::hash<std::string_view>{}(name);
  const NameId known = slots_[find_slot(name, hash)].id;
  return known != 0 ? known : define(name, hash);
}

// The slot of the name, or the empty slot where it belongs.
size_t NameInterner::find_slot(std::string_view name, size_t hash) const {
  const size_t mask = slots_.size() - 1;
  const auto top = static_cast<uint32_t>(hash >> 32);
  size_t at = hash & mask;
  while (slots_[at].id != 0 && !(slots_[at].hash_top == top && names_[slots_[at].id] == name)) {
    at = (at + 1) & mask;
  }
  return at;
}

NameId NameInterner::define(std::string_view name, size_t hash) {
  if (bytes_ + name.size() + kEntryBytes > most_bytes_) {
    losses_.add(Loss::name_table_full);
    if (placeholder_ != 0) return placeholder_;
    name = kPlaceholder;
    hash = std::hash<std::string_view>{}(name);
  }
  if (2 * names_.size() > slots_.size()) rehash(2 * slots_.size());

  const auto id = static_cast<NameId>(names_.size());
  names_.emplace_back(keep(name), name.size());
  hashes_.push_back(hash);
  slots_[find_slot(names_.back(), hash)] = {static_cast<uint32_t>(hash >> 32), id};
  bytes_ += name.size() + kEntryBytes;
  if (name == kPlaceholder) placeholder_ = id;
  log_.publish(NameDefinition{id, std::string(name)});
  return id;
}

const char* NameInterner::keep(std::string_view name) {
  const size_t needed = name.size() + 1;
  char* copy;
  if (needed > kBlockBytes / 4) {  // a block of its own: the current one keeps its free end
    blocks_.push_back(std::make_unique<char[]>(needed));
    copy = blocks_.back().get();
  } else {
    if (needed > block_left_) {
      blocks_.push_back(std::make_unique<char[]>(kBlockBytes));
      block_ = blocks_.back().get();
      block_left_ = kBlockBytes;
    }
    copy = block_;
    block_ += needed;
    block_left_ -= needed;
  }
  std::memcpy(copy, name.data(), name.size());
  copy[name.size()] = '\0';
  return copy;
}

void NameInterner::rehash(size_t slots) {
  slots_.assign(slots, Slot{});
  for (NameId id = 1; id < names_.size(); ++id) {
    slots_[find_slot(names_[id], hashes_[id])] = {static_cast<uint32_t>(hashes_[id] >> 32), id};
  }
}

}  // namespace deepprof
