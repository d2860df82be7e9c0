// What an annotation is called, without what tells one call of it from the next: PyTorch's
// emit_nvtx puts numbers behind the operator ("aten::mm, seq = 12, op_id = 34").
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/model/trace.h"

namespace deepprof {

std::string_view annotation_name(std::string_view raw);
// The same in at most `width` columns. It is no name of C++, whatever brackets it has: of
// "jit(train_step)/jit(main)/dot_general" nothing but the middle may go.
std::string short_annotation(std::string_view raw, size_t width = 60);

// One id for all annotations of a trace that are called alike: the one that was asked for first.
class AnnotationIds {
 public:
  explicit AnnotationIds(const Trace& trace) : trace_(trace) {}
  NameId of(NameId annotation);

 private:
  const Trace& trace_;
  std::unordered_map<NameId, NameId> known_;
  std::unordered_map<std::string_view, NameId> first_;
};

}  // namespace deepprof
