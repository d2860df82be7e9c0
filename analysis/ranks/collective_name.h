// Which collective a communication kernel is, by its name: NCCL's, RCCL's and those of serving
// frameworks.
#pragma once

#include <string_view>

namespace deepprof {

struct CollectiveName {
  std::string_view words;  // "all-reduce"; empty: the name tells of none
  // Bytes that cross a link for each byte of its size, of `ranks` ranks (nccl-tests' definition).
  // 0: not known. A SendRecv kernel may be one message or an all-to-all.
  double (*bus_factor)(double ranks) = nullptr;
};

CollectiveName collective_name(std::string_view kernel);

}  // namespace deepprof
