// What DeepProf itself writes for other tools and for people: none of it holds a whole trace, so
// none is read back, and whoever gives it is told which file to give.
#pragma once

#include <string_view>

namespace deepprof {

// What wrote content that begins so ("deepprof export --to csv", "deepprof --format json"); empty:
// it is none of ours.
std::string_view writer_of_own_output(std::string_view head);

}  // namespace deepprof
