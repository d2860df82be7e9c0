// Short names that tell apart: kernels that differ in a type or a size deep in their template
// arguments are one name when shortened, and two rows of one name tell a reader nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace deepprof {

// The short form of each name. Where several share one, what tells them apart stands behind: "name
// [float]", "name [Half]".
std::vector<std::string> distinct_short_names(std::span<const std::string_view> names,
                                              size_t width);

// Of one such name at most `width` columns: the name is cut, and what tells it apart stays.
std::string fit_distinct_name(std::string_view shown, size_t width);

}  // namespace deepprof
