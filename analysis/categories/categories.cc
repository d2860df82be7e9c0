#include "analysis/categories/categories.h"

#include <array>
#include <cstdio>
#include <utility>

#include "analysis/categories/readable_name.h"
#include "libdeepprof/text.h"

namespace deepprof {
namespace {

struct BuiltIn {
  const char* category;
  const char* patterns;  // alternatives, tried from left to right
};

// The order matters: a gemm with a norm in its epilogue is a gemm, a reduce_scatter is
// communication.
constexpr std::array<BuiltIn, 15> kBuiltIn{{
    {"communication",
     "nccl|rccl|nvshmem|deep_?ep|cross_device_reduce|all_?reduce|all_?gather|"
     "reduce_?scatter|all_?to_?all|sendrecv"},
    {"optimizer", "multi_tensor_apply|fused_?adam|adamw?_|lamb(?!da)|sgd_|distributed_optim"},
    {"attention", "flash|fmha|attn|attention|sdpa|softmax.*dropout.*bmm"},
    {"conv", "conv(?!ert)|dgrad|wgrad|fprop|scudnn|implicit_gemm|winograd|im2col"},
    {"gemm",
     "gemm|gemv|nvjet|cutlass|cublas|xmma|wgmma|matmul|splitk|bmm|marlin|machete|^cijk_|triton_"
     "tem"},
    {"norm", "(layer|rms|batch|group)_?norm|bn_(fw|bw)|norm_(fwd|bwd)"},
    {"softmax/loss", "softmax|cross_entropy|nll_loss"},
    {"embedding", "embedding|index_?select|gather|scatter"},
    {"reduce", "reduce|cub::|sum_kernel|argmax|sort|radix|topk"},
    {"rnn", "rnn|lstm|gru"},
    {"pool", "pool"},
    {"random", "philox|dropout|distribution|rand"},
    {"copy/cast", "copy|cast|cat_?array|fill|transpose|permute|pad"},
    {"elementwise", "elementwise|pointwise|vectorized|unrolled|foreach|triton_poi"},
    {"compiled", "^triton|fusion|loop_|input_|wrapped_|^fused_"},
}};

// Tried before all others.
constexpr BuiltIn kForeachCopy{"copy/cast", "multi_tensor_apply.*::copy<"};  // _foreach_copy_

// Words that hold a pattern without meaning it: the element-wise kernels of PyTorch name how they
// load and store, and fbgemm is a library whose kernels are embeddings.
constexpr std::array<std::string_view, 6> kMisleading{"loadwithcast",  "loadwithoutcast",
                                                      "storewithcast", "storewithoutcast",
                                                      "impl_nocast",   "fbgemm"};

// Cuts "a|b(c|d)" at the bars outside all groups and brackets.
std::vector<std::string> alternatives_of(std::string_view pattern) {
  std::vector<std::string> alternatives{""};
  int groups = 0;
  bool bracket = false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
      alternatives.back() += {c, pattern[++i]};
      continue;
    }
    if (c == '[') bracket = true;
    if (c == ']') bracket = false;
    if (!bracket && c == '(') ++groups;
    if (!bracket && c == ')') --groups;
    if (c == '|' && !bracket && groups == 0) {
      alternatives.emplace_back();
    } else {
      alternatives.back() += c;
    }
  }
  return alternatives;
}

}  // namespace

Categories::Categories() {
  for (const BuiltIn& row : kBuiltIn) category_named(row.category);  // numbered in this order
  built_in_.push_back({category_named(kForeachCopy.category), kForeachCopy.patterns});
  for (const BuiltIn& row : kBuiltIn) {
    const CategoryId category = category_named(row.category);
    for (std::string& pattern : alternatives_of(row.patterns))
      built_in_.push_back({category, std::move(pattern)});
  }
  graph_launch_ = category_named("graph launch");
  other_ = category_named("other");
  compile();
}

CategoryId Categories::category_named(std::string_view name) {
  for (size_t id = 0; id < names_.size(); ++id) {
    if (names_[id] == name) return static_cast<CategoryId>(id);
  }
  names_.emplace_back(name);
  return static_cast<CategoryId>(names_.size() - 1);
}

void Categories::compile() {
  patterns_ = PatternSet();
  for (const auto* rules : {&user_rules_, &built_in_}) {
    // Every pattern was checked when it came in, so adding it again cannot fail.
    for (const Rule& rule : *rules) (void)patterns_.add(rule.pattern);
  }
}

Status Categories::add_user_rules(std::string_view text, std::string_view file) {
  struct Line {
    std::string category, pattern;
  };
  std::vector<Line> lines;
  int number = 0;
  while (!text.empty()) {
    ++number;
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
    constexpr std::string_view kBlanks = " \t\r";
    const size_t start = line.find_first_not_of(kBlanks);
    if (start == std::string_view::npos || line[start] == '#') continue;
    line = line.substr(start, line.find_last_not_of(kBlanks) + 1 - start);
    const auto where = [&] {
      return format_text("%.*s:%d: ", static_cast<int>(file.size()), file.data(), number);
    };
    const size_t gap = line.find_first_of(kBlanks);
    if (gap == std::string_view::npos) return Error{where() + "expected a category and a pattern"};
    const std::string_view pattern = line.substr(line.find_first_not_of(kBlanks, gap));
    PatternSet trial;
    const Status valid = trial.add(pattern);
    if (!valid.ok()) return Error{where() + valid.error()};
    lines.push_back({std::string(line.substr(0, gap)), std::string(pattern)});
  }
  if (lines.size() + names_.size() > 200) {
    return Error{
        format_text("%.*s: more than 200 rules", static_cast<int>(file.size()), file.data())};
  }
  for (Line& line : lines)
    user_rules_.push_back({category_named(line.category), std::move(line.pattern)});
  compile();
  return Done{};
}

Status Categories::add_user_file(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return Error{path + ": cannot be read; expected a file of category rules"};
  std::string text;
  char block[4096];
  for (size_t got;
       (got = std::fread(block, 1, sizeof block, file)) > 0 && text.size() < (1u << 20);) {
    text.append(block, got);
  }
  std::fclose(file);
  return add_user_rules(text, path);
}

std::string Categories::subject(std::string_view raw_name) {
  const std::string readable = demangled_name(raw_name);
  // A mangled name that was only read in part still holds its template arguments as words.
  const bool partly_read =
      readable.size() != raw_name.size() && readable.find("...>") != std::string::npos;
  std::string text(partly_read ? raw_name : without_arguments(readable));
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  for (const std::string_view word : kMisleading) {
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
      text[at] = '*';  // so that what stands around it does not become a word
      text.erase(at + 1, word.size() - 1);
    }
  }
  return text;
}

Categories::Match Categories::match(std::string_view raw_name) {
  const uint32_t number = patterns_.first_match(subject(raw_name));
  if (number == PatternSet::kNoMatch) return {other_, {}, false};
  const bool user = number < user_rules_.size();
  const Rule& rule = user ? user_rules_[number] : built_in_[number - user_rules_.size()];
  return {rule.category, rule.pattern, user};
}

std::vector<CategoryId> categorise(const Trace& trace, Categories& categories) {
  std::vector<bool> is_kernel(trace.names.size());
  std::vector<CategoryId> category_of(trace.names.size(), categories.other());
  for (const Op& op : trace.ops) {
    if (op.name >= is_kernel.size()) continue;
    if (op.kind == Kind::kernel) is_kernel[op.name] = true;
    if (op.kind == Kind::graph) category_of[op.name] = categories.graph_launch();
  }
  for (NameId name = 0; name < category_of.size(); ++name) {
    if (is_kernel[name]) category_of[name] = categories.match(trace.names[name]).category;
  }
  return category_of;
}

}  // namespace deepprof
