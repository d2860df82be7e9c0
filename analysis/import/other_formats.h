// Files that people have and no importer reads: what they are, and what to give instead.
#pragma once

#include <string_view>

namespace deepprof {

// From the first bytes of the content, decompressed: "is a report of Nsight Systems: ...". Empty:
// not known.
std::string_view what_to_give_instead(std::string_view head);
// The same of JSON in which no event was understood.
std::string_view what_to_give_instead_of_timeline(std::string_view head);

}  // namespace deepprof
