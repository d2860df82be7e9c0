// Trace::details holds each distinct Detail once; this finds the ones that are there already.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "analysis/model/trace.h"

namespace deepprof {

class DistinctDetails {
 public:
  // The trace must outlive the table and start with its one empty detail.
  explicit DistinctDetails(Trace& trace) : trace_(trace) { indices_.emplace(trace.details[0], 0); }

  uint32_t intern(const Detail& detail) {
    const auto [found, added] =
        indices_.try_emplace(detail, static_cast<uint32_t>(trace_.details.size()));
    if (added) trace_.details.push_back(detail);
    return found->second;
  }

 private:
  struct Hash {
    size_t operator()(const Detail& detail) const {
      static_assert(std::has_unique_object_representations_v<Detail>, "hashed as bytes");
      return std::hash<std::string_view>{}(
          {reinterpret_cast<const char*>(&detail), sizeof(detail)});
    }
  };
  Trace& trace_;
  std::unordered_map<Detail, uint32_t, Hash> indices_;
};

}  // namespace deepprof
