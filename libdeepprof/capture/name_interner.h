// Gives every distinct name a dense id, starting with 1, and publishes each new one for the trace.
// Memory is bounded: once the names take `most_bytes`, further ones share one placeholder and are
// counted as Loss::name_table_full. Collector thread only.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "libdeepprof/capture/definitions.h"
#include "libdeepprof/capture/loss_counters.h"
#include "libdeepprof/event/event.h"

namespace deepprof {

class NameInterner {
 public:
  NameInterner(DefinitionLog& log, LossCounters& losses, size_t most_bytes);

  NameId intern(std::string_view name);
  // Zero-terminated copy, valid for the life of the interner. Precondition: an id that intern()
  // returned.
  const char* text(NameId id) const { return names_[id].data(); }

  size_t bytes() const { return bytes_; }

 private:
  NameId define(std::string_view name, size_t hash);
  const char* keep(std::string_view name);
  void rehash(size_t slots);
  size_t find_slot(std::string_view name, size_t hash) const;

  struct Slot {
    uint32_t hash_top = 0;
    NameId id = 0;  // 0: empty
  };
  DefinitionLog& log_;
  LossCounters& losses_;
  const size_t most_bytes_;
  size_t bytes_ = 0;
  NameId placeholder_ = 0;
  std::vector<std::string_view> names_{""};  // by id
  std::vector<size_t> hashes_{0};            // by id
  std::vector<Slot> slots_;                  // open addressing, power of two
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* block_ = nullptr;
  size_t block_left_ = 0;
};

}  // namespace deepprof
