// What to tell a person whose command line the parser refused.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace deepprof {

// One clause. `parser`: that of the verb, or of the whole command where no verb was understood.
std::string explain_parse_error(const CLI::App& parser, const CLI::ParseError& error);

}  // namespace deepprof
