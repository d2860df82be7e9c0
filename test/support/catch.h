// Catch2 2 (Debian 12) and 3 under one include.
#pragma once

#ifdef DEEPPROF_CATCH2_V3
#include <catch2/catch_all.hpp>
using Catch::Approx;  // NOLINT(misc-unused-using-decls)
#else
#include <catch2/catch.hpp>
#endif
