#include "inject/options.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>

#include "libdeepprof/text.h"

namespace deepprof {
namespace {

using cupti::ApiSelection;

std::optional<uint64_t> parse_number(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

// "512M", "2G", "65536": powers of 1024.
std::optional<uint64_t> parse_bytes(std::string_view text) {
  if (text.empty()) return {};
  int shift = 0;
  switch (text.back()) {
    case 'k':
    case 'K': shift = 10; break;
    case 'm':
    case 'M': shift = 20; break;
    case 'g':
    case 'G': shift = 30; break;
    default: break;
  }
  if (shift != 0) text.remove_suffix(1);
  const std::optional<uint64_t> value = parse_number(text);
  if (!value || *value > (UINT64_MAX >> shift)) return {};
  return *value << shift;
}

// "30", "1.5", "500ms", "10m", "2h": seconds unless a unit says otherwise, to the microsecond, up
// to a year.
std::optional<int64_t> parse_time_ns(std::string_view text) {
  struct TimeUnitWord {
    std::string_view word;
    int64_t ns;
  };
  // "ms" before "s": the first word that ends the text is taken.
  constexpr TimeUnitWord kUnits[] = {
      {"ms", 1'000'000}, {"s", 1'000'000'000}, {"m", 60'000'000'000}, {"h", 3'600'000'000'000}};
  constexpr size_t kMostDecimals = 6;
  constexpr double kYear_ns = 365.0 * 24 * 3.6e12;
  int64_t unit_ns = 1'000'000'000;
  for (const TimeUnitWord& unit : kUnits) {
    if (!text.ends_with(unit.word)) continue;
    unit_ns = unit.ns;
    text.remove_suffix(unit.word.size());
    break;
  }
  const size_t point = std::min(text.find('.'), text.size());
  const std::optional<uint64_t> whole = parse_number(text.substr(0, point));
  std::optional<uint64_t> part = 0;
  int64_t part_of = 1;
  if (point < text.size()) {
    const std::string_view decimals = text.substr(point + 1);
    part = decimals.size() <= kMostDecimals ? parse_number(decimals) : std::nullopt;
    if (!part) return {};
    for (size_t i = 0; i < decimals.size(); ++i) part_of *= 10;
  }
  if (!whole || !part || static_cast<double>(*whole) * static_cast<double>(unit_ns) > kYear_ns)
    return {};
  return static_cast<int64_t>(*whole) * unit_ns + static_cast<int64_t>(*part) * (unit_ns / part_of);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// Each setter returns false when it does not understand the value; the option is then left as it
// was.

bool set_flag(bool& option, std::string_view value) {
  if (value != "0" && value != "1") return false;
  option = value == "1";
  return true;
}

bool set_bytes(uint64_t& option, std::string_view value) {
  const std::optional<uint64_t> bytes = parse_bytes(value);
  if (bytes) option = *bytes;
  return bytes.has_value();
}

bool set_time(int64_t& option, std::string_view value) {
  const std::optional<int64_t> ns = parse_time_ns(value);
  if (ns) option = *ns;
  return ns.has_value();
}

bool set_format(Options& options, std::string_view value) {
  constexpr std::pair<std::string_view, Format> kFormats[] = {{"text", Format::text},
                                                              {"json", Format::json},
                                                              {"csv", Format::csv},
                                                              {"markdown", Format::markdown}};
  for (const auto& [word, format] : kFormats) {
    if (value == word) return options.report_format = format, true;
  }
  return false;
}

// What is below the least that works is raised to it and told.
void raise_to(uint64_t& option, uint64_t least, const char* variable, Options& options) {
  if (option >= least) return;
  options.complaints.push_back(format_text("%s=%llu is too little, using %lluM", variable,
                                           static_cast<unsigned long long>(option),
                                           static_cast<unsigned long long>(least >> 20)));
  option = least;
}

bool set_report(Options& options, std::string_view value) {
  if (value.empty()) return false;
  options.report_to_stderr = value == "stderr";
  options.report_to_file = value != "stderr" && value != "0";
  if (options.report_to_file) options.report_path = value;
  return true;
}

bool set_flush_interval(Options& options, std::string_view value) {
  const std::optional<uint64_t> milliseconds = parse_number(value);
  if (!milliseconds || *milliseconds < 1 || *milliseconds > 60'000) return false;
  options.flush_interval_ns = static_cast<int64_t>(*milliseconds) * 1'000'000;
  return true;
}

bool set_sample_interval(Options& options, std::string_view value) {
  const std::optional<uint64_t> milliseconds = parse_number(value);
  if (!milliseconds || *milliseconds > 60'000) return false;
  options.sample_interval_ns = static_cast<int64_t>(*milliseconds) * 1'000'000;
  return true;
}

bool set_cpu_process(Options& options, std::string_view value) {
  if (!parse_number(value.substr(0, value.find(':')))) return false;
  options.cpu_process = value;
  return true;
}

bool set_rearm(Options& options, std::string_view value) {
  const std::optional<uint64_t> seconds = parse_number(value);
  if (!seconds || *seconds > 86'400) return false;
  options.rearm_after_ns = static_cast<int64_t>(*seconds) * 1'000'000'000;
  return true;
}

bool set_ranks(Options& options, std::string_view value) {
  std::vector<int> ranks;
  for (const std::string_view part : split(value, ',')) {
    const std::optional<uint64_t> rank = parse_number(part);
    if (!rank || *rank > INT32_MAX) return false;
    ranks.push_back(static_cast<int>(*rank));
  }
  options.ranks = std::move(ranks);
  return true;
}

bool set_api(Options& options, std::string_view value) {
  if (value == "off") options.wanted.api = ApiSelection::off;
  else if (value == "launch") options.wanted.api = ApiSelection::launch;
  else if (value == "all") options.wanted.api = ApiSelection::all;
  else return false;
  return true;
}

bool set_graph(Options& options, std::string_view value) {
  if (value != "node" && value != "graph") return false;
  options.wanted.whole_graphs = value == "graph";
  return true;
}

bool set_kinds(Options& options, std::string_view value) {
  cupti::Wanted wanted = options.wanted;
  wanted.kernels = wanted.copies = wanted.fills = wanted.syncs = wanted.overheads = false;
  for (const std::string_view kind : split(value, ',')) {
    if (kind == "kernel") wanted.kernels = true;
    else if (kind == "memcpy") wanted.copies = true;
    else if (kind == "memset") wanted.fills = true;
    else if (kind == "sync") wanted.syncs = true;
    else if (kind == "overhead") wanted.overheads = true;
    else return false;
  }
  options.wanted = wanted;
  return true;
}

bool set_batch(Options& options, std::string_view value) {
  const std::optional<uint64_t> items = parse_number(value);
  if (!items || *items == 0) return false;
  options.batch = static_cast<double>(*items);
  return true;
}

struct Variable {
  std::string_view name;  // after DEEPPROF_
  bool (*set)(Options& options, std::string_view value);
};

constexpr Variable kVariables[] = {
    {"DISABLE", [](Options& o, std::string_view v) { return set_flag(o.disabled, v); }},
    {"OUTPUT", [](Options& o, std::string_view v) { return o.output = v, !v.empty(); }},
    {"REPORT", set_report},
    {"MAX_MEMORY", [](Options& o, std::string_view v) { return set_bytes(o.max_memory_bytes, v); }},
    {"MAX_FILE", [](Options& o, std::string_view v) { return set_bytes(o.max_file_bytes, v); }},
    {"DELAY", [](Options& o, std::string_view v) { return set_time(o.delay_ns, v); }},
    {"DURATION", [](Options& o, std::string_view v) { return set_time(o.duration_ns, v); }},
    {"FORMAT", set_format},
    {"METRICS_FILE", [](Options& o, std::string_view v) { return o.metrics_path = v, !v.empty(); }},
    {"FLUSH_MS", set_flush_interval},
    {"REARM_S", set_rearm},
    {"SAMPLE_MS", set_sample_interval},
    {"STEP_HOOK", [](Options& o, std::string_view v) { return set_flag(o.step_hook, v); }},
    {"CPU", set_cpu_process},
    {"RANKS", set_ranks},
    {"API", set_api},
    {"GRAPH", set_graph},
    {"KINDS", set_kinds},
    {"MEMORY", [](Options& o, std::string_view v) { return set_flag(o.wanted.allocations, v); }},
    {"CUPTI", [](Options& o, std::string_view v) { return o.cupti_path = v, !v.empty(); }},
    {"CATEGORIES",
     [](Options& o, std::string_view v) { return o.categories_path = v, !v.empty(); }},
    {"BATCH", set_batch},
    {"LOG", [](Options& o, std::string_view v) { return o.log_path = v, !v.empty(); }},
};

constexpr std::string_view kPrefix = "DEEPPROF_";
constexpr std::string_view kTagPrefix = "TAG_";
constexpr size_t kLongestShown = 60;
constexpr uint64_t kLeastMemory_bytes = uint64_t{8} << 20;  // a few iterations' worth
constexpr uint64_t kLeastFile_bytes = uint64_t{1} << 20;    // names, statistics and a segment

// Printable, so that no value can forge a line or drive a terminal.
std::string shown(std::string_view text) {
  std::string out(text.substr(0, kLongestShown));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  }
  return out;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return lower;
}

void apply(Options& options, std::string_view name, std::string_view value) {
  if (name.substr(0, kTagPrefix.size()) == kTagPrefix) {
    options.tags.emplace_back(lower_case(name.substr(kTagPrefix.size())), value);
    return;
  }
  const auto* known = std::find_if(std::begin(kVariables), std::end(kVariables),
                                   [&](const Variable& variable) { return variable.name == name; });
  if (known == std::end(kVariables)) {
    options.complaints.push_back("unknown variable DEEPPROF_" + shown(name) + " ignored");
  } else if (!known->set(options, value)) {
    options.complaints.push_back("DEEPPROF_" + std::string(name) + "=" + shown(value) +
                                 " not understood, using the default");
  }
}

std::string_view value_of(const char* const* environment, std::string_view name) {
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    if (entry.size() > name.size() && entry[name.size()] == '=' &&
        entry.substr(0, name.size()) == name) {
      return entry.substr(name.size() + 1);
    }
  }
  return {};
}

int small_number(std::string_view text) {
  const std::optional<uint64_t> number = parse_number(text);
  return number && *number <= 10'000'000 ? static_cast<int>(*number) : -1;
}

}  // namespace

Options read_options(const char* const* environment) {
  Options options;
  for (; *environment != nullptr; ++environment) {
    const std::string_view entry = *environment;
    const size_t equals = entry.find('=');
    if (entry.substr(0, kPrefix.size()) != kPrefix || equals == std::string_view::npos) continue;
    apply(options, entry.substr(kPrefix.size(), equals - kPrefix.size()), entry.substr(equals + 1));
  }
  raise_to(options.max_memory_bytes, kLeastMemory_bytes, "DEEPPROF_MAX_MEMORY", options);
  if (options.max_file_bytes != 0)
    raise_to(options.max_file_bytes, kLeastFile_bytes, "DEEPPROF_MAX_FILE", options);
  return options;
}

Rank read_rank(const char* const* environment) {
  struct Launcher {
    std::string_view rank, world_size;
  };
  constexpr Launcher kLaunchers[] = {{"RANK", "WORLD_SIZE"},
                                     {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                     {"PMI_RANK", "PMI_SIZE"},
                                     {"SLURM_PROCID", "SLURM_NTASKS"},
                                     {"LOCAL_RANK", "LOCAL_WORLD_SIZE"}};
  for (const Launcher& launcher : kLaunchers) {
    const int rank = small_number(value_of(environment, launcher.rank));
    if (rank >= 0) return {rank, small_number(value_of(environment, launcher.world_size))};
  }
  return {};
}

}  // namespace deepprof
