#include "test/fake/host/options.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace deepprof::fake {
namespace {

constexpr char kUsage[] =
    "usage: fake_host RECORDING [--speed full|recorded|FACTOR] [--clock recorded|now] [--repeat "
    "N]\n"
    "  [--rate R] [--seconds S] [--gpu-lag US] [--no-sync] [--stop-after N] [--reload-modules]\n"
    "  [--exit WAY] [--code N] [--process WHAT] [--close-all] [--other-tool FROM,TO]\n";

[[noreturn]] void refuse(const char* what) {
  fprintf(stderr, "fake_host: %s\n%s", what, kUsage);
  exit(2);
}

double speed_of(const std::string& text) {
  if (text == "full") return 0;
  if (text == "recorded") return 1;
  const double factor = atof(text.c_str());
  if (factor <= 0) refuse("--speed takes full, recorded or a factor");
  return factor;
}

}  // namespace

Options parse_options(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> std::string {
      if (++i >= argc) refuse((word + " takes a value").c_str());
      return argv[i];
    };
    if (word == "--speed") o.speed = speed_of(value());
    else if (word == "--clock") o.clock_now = value() == "now";
    else if (word == "--repeat") o.repeats = strtoull(value().c_str(), nullptr, 10);
    else if (word == "--rate") o.rate = atof(value().c_str());
    else if (word == "--seconds") o.seconds = atof(value().c_str());
    else if (word == "--gpu-lag") o.gpu_lag_us = atoll(value().c_str());
    else if (word == "--no-sync") o.final_sync = false;
    else if (word == "--stop-after") o.stop_after = strtoull(value().c_str(), nullptr, 10);
    else if (word == "--reload-modules") o.reload_modules = true;
    else if (word == "--exit") o.exit_way = value();
    else if (word == "--code") o.exit_code = atoi(value().c_str());
    else if (word == "--process") o.process = value();
    else if (word == "--close-all") o.close_all = true;
    else if (word == "--other-tool") o.other_tool = value();
    else if (word.rfind("--", 0) == 0) refuse((word + " is not an option").c_str());
    else if (o.recording.empty()) o.recording = word;
    else refuse("takes one recording");
  }
  if (o.recording.empty()) refuse("takes a recording");
  return o;
}

}  // namespace deepprof::fake
