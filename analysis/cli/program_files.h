// Files that come with the command and lie beside it: installed, unpacked from the portable
// archive, or in the build tree.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

namespace deepprof {

// What to execute to run this command again.
std::string this_program();

// The first of `places` that exists, resolved. A place is relative to the folder of the program
// file.
std::optional<std::string> find_beside_program(std::initializer_list<std::string> places);
// The same, relative to the folder of `file`, which has a slash in its path.
std::optional<std::string> find_beside(const std::string& file,
                                       std::initializer_list<std::string> places);

}  // namespace deepprof
