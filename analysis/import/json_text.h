// What a JSON string says: escapes undone.
#pragma once

#include <string>
#include <string_view>

namespace deepprof {

// `raw` is what stands between the quotes. Unpaired surrogates become U+FFFD; an escape that JSON
// does not know is kept as it stands.
std::string unescape_json(std::string_view raw);

}  // namespace deepprof
