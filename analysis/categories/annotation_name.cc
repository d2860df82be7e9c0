#include "analysis/categories/annotation_name.h"

#include <algorithm>

#include "analysis/categories/readable_name.h"

namespace deepprof {

std::string_view annotation_name(std::string_view raw) {
  size_t end = raw.size();
  for (const std::string_view tail : {", seq = ", ", op_id = ", ", sizes = ", ", input_op_ids = "})
    end = std::min(end, raw.find(tail));
  return raw.substr(0, end);
}

std::string short_annotation(std::string_view raw, size_t width) {
  return cut_middle(annotation_name(raw), width);
}

NameId AnnotationIds::of(NameId annotation) {
  const auto [known, is_new] = known_.try_emplace(annotation, annotation);
  if (is_new) {
    const std::string_view name = annotation_name(trace_.names[annotation]);
    known->second = first_.try_emplace(name, annotation).first->second;
  }
  return known->second;
}

}  // namespace deepprof
