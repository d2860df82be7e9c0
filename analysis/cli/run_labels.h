// What the runs of a comparison are called.
#pragma once

#include <string>
#include <vector>

namespace deepprof {

// "runs/batch64.dprof" -> "batch64": each file's name without its folder and without the suffixes
// of traces. Files of one name have so many of their folders in front as tell them apart
// ("old/train", "new/train"); a file that is named twice has its place behind ("train 2").
std::vector<std::string> run_labels(const std::vector<std::string>& paths);

}  // namespace deepprof
