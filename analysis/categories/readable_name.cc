#include "analysis/categories/readable_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "analysis/categories/annotation_name.h"
#include "analysis/report/utf8.h"

namespace deepprof {
namespace {

constexpr size_t kLongestMangled = 4096;
constexpr size_t kLongestReadable = size_t{16} << 20;

int substitutions_in(std::string_view mangled) {
  int count = 0;
  for (size_t i = 0; i + 1 < mangled.size(); ++i) {
    const char next = mangled[i + 1];
    count += mangled[i] == 'S' &&
             (next == '_' || (next >= '0' && next <= '9') || (next >= 'A' && next <= 'Z'));
  }
  return count;
}

// A name of 200 characters can stand for gigabytes: each substitution (S_, S1_, ...) may multiply
// what the one before stands for, and the demangler cannot be stopped half-way. n of them in a name
// of m characters print at most m * 3^(n/3).
bool may_explode(std::string_view mangled) {
  size_t most = mangled.size();
  for (int left = substitutions_in(mangled); left > 0 && most <= kLongestReadable; left -= 3)
    most *= 3;
  return most > kLongestReadable;
}

std::string demangle(std::string_view mangled) {
  if (mangled.size() > kLongestMangled || may_explode(mangled)) return {};
  int status = 0;
  char* text = abi::__cxa_demangle(std::string(mangled).c_str(), nullptr, nullptr, &status);
  if (text == nullptr) return {};
  std::string readable(text);
  std::free(text);
  return readable;
}

// Reads the length-prefixed identifier at `at` and moves past it; empty where there is none.
std::string_view identifier_at(std::string_view mangled, size_t& at) {
  size_t length = 0, digits = at;
  while (digits < mangled.size() && mangled[digits] >= '0' && mangled[digits] <= '9' &&
         length < mangled.size()) {
    length = length * 10 + static_cast<size_t>(mangled[digits++] - '0');
  }
  if (length == 0 || length > mangled.size() - digits || mangled[at] == '0') return {};
  at = digits + length;
  return mangled.substr(digits, length);
}

// The qualified name at the head of a mangled name that is too long for the demangler, with the
// first class among its template arguments, which tells CUTLASS kernels apart:
// _ZN7cutlass13device_kernelINS_4gemm6kernel13GemmUniversalI... ->
// "cutlass::device_kernel<GemmUniversal<...>>". Empty if it does not start that way.
std::string qualified_head(std::string_view mangled) {
  size_t at = 2;
  bool nested = false;
  while (at < mangled.size() && (mangled[at] == 'N' || mangled[at] == 'L' || mangled[at] == 'K')) {
    nested = nested || mangled[at] == 'N';
    ++at;
  }
  std::string head;
  for (std::string_view part = identifier_at(mangled, at); !part.empty();
       part = identifier_at(mangled, at)) {
    if (!head.empty()) head += "::";
    head += part.substr(0, 10) == "_GLOBAL__N" ? "(anonymous namespace)" : part;
    if (!nested) break;
  }
  if (head.empty() || at >= mangled.size() || mangled[at] != 'I') return head;
  for (size_t next = at; next < mangled.size();) {
    const size_t before = next;
    // The digits of a literal (Li128E) are no length.
    if (mangled[next] == 'L' && next + 1 < mangled.size() && mangled[next + 1] >= 'a' &&
        mangled[next + 1] <= 'z') {
      next = std::min(mangled.find('E', next), mangled.size() - 1) + 1;
      continue;
    }
    const std::string_view name = identifier_at(mangled, next);
    // A class ends its qualified name: its own arguments or the end of the name follow it.
    const bool is_class =
        !name.empty() && next < mangled.size() && (mangled[next] == 'I' || mangled[next] == 'E');
    if (is_class)
      return head + "<" + std::string(name) + (mangled[next] == 'I' ? "<...>" : "") + ", ...>";
    if (name.empty()) next = before + 1;
  }
  return head + "<...>";
}

bool ends_with(std::string_view text, std::string_view tail) {
  return text.size() >= tail.size() && text.substr(text.size() - tail.size()) == tail;
}

// Where the bracket that closes at `close` was opened; npos if nowhere.
size_t opening_of(std::string_view text, size_t close, char open_bracket, char close_bracket) {
  int depth = 0;
  for (size_t i = close + 1; i-- > 0;) {
    if (text[i] == close_bracket) ++depth;
    if (text[i] == open_bracket && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// Template arguments that nearly every instance of a kernel has and that tell nothing apart.
constexpr std::array<std::string_view, 44> kNoise{"int",
                                                  "unsigned int",
                                                  "long",
                                                  "unsigned long",
                                                  "long long",
                                                  "unsigned long long",
                                                  "short",
                                                  "unsigned short",
                                                  "char",
                                                  "unsigned char",
                                                  "signed char",
                                                  "bool",
                                                  "float",
                                                  "double",
                                                  "void",
                                                  "true",
                                                  "false",
                                                  "Half",
                                                  "BFloat16",
                                                  "__half",
                                                  "__nv_bfloat16",
                                                  "half",
                                                  "bfloat16_t",
                                                  "half_t",
                                                  "Array",
                                                  "OffsetCalculator",
                                                  "TrivialOffsetCalculator",
                                                  "LoadWithCast",
                                                  "LoadWithoutCast",
                                                  "StoreWithCast",
                                                  "StoreWithoutCast",
                                                  "TensorListMetadata",
                                                  "TensorListScalarListMetadata",
                                                  "OpaqueType",
                                                  "TensorInfo",
                                                  "memory",
                                                  "tuple",
                                                  "integral_constant",
                                                  "array",
                                                  "complex",
                                                  "FusedOptimizerTensorListMetadata",
                                                  "default_policy",
                                                  "__hip_bfloat16",
                                                  "Var"};

bool is_noise(std::string_view identifier) {
  for (const std::string_view word : kNoise) {
    if (identifier == word) return true;
  }
  return identifier.empty() || (identifier[0] >= '0' && identifier[0] <= '9') ||
         identifier[0] == '-' || identifier[0] == '(' || identifier[0] == '{' ||
         identifier[0] == '*' || identifier[0] == '&';
}

// Depth of brackets while walking a name. < and > count only outside parentheses:
// "enable_if<((8)>(0))>" has a comparison inside.
class Brackets {
 public:
  void pass(char c, char before) {
    if (c == '(' || c == '{' || c == '[') ++round_;
    else if (c == ')' || c == '}' || c == ']') --round_;
    else if (round_ > 0) return;
    else if (c == '<') ++angle_;
    else if (c == '>' && before != '-') --angle_;
  }
  bool outside() const { return round_ <= 0 && angle_ <= 0; }

 private:
  int round_ = 0, angle_ = 0;
};

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// The unqualified name of a type or function and its first telling template argument.
struct Head {
  std::string_view name;       // "vectorized_elementwise_kernel"
  std::string_view arguments;  // what stands between its < and >
};

// Walks "a::b<c>::name<args>" once. A lambda's path ("f(int)::{lambda()#1}::operator()") is named
// for the function that holds it, which is what people know.
Head head_of(std::string_view text) {
  Head head;
  size_t word_start = 0;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '<') {
      Brackets brackets;
      size_t close = i;
      for (; close < text.size(); ++close) {
        brackets.pass(text[close], close > 0 ? text[close - 1] : ' ');
        if (brackets.outside()) break;
      }
      head.name = text.substr(word_start, i - word_start);
      head.arguments = text.substr(i + 1, (close < text.size() ? close : text.size()) - i - 1);
      i = close < text.size() ? close + 1 : text.size();
      word_start = i;
    } else if (text.substr(i, 2) == "::") {
      i += 2;
      word_start = i;
    } else if (text[i] == '(') {
      // An argument list inside the path: what follows belongs to this function.
      if (text.substr(i, 11) == "(anonymous ") {
        const size_t close = text.find(')', i);
        i = close == std::string_view::npos ? text.size() : close + 1;
        word_start = i;
        continue;
      }
      if (i > word_start) head = {text.substr(word_start, i - word_start), {}};
      break;
    } else if (text[i] == '{') {
      break;
    } else {
      ++i;
      if (i == text.size() || text[i] == ':' || text[i] == '(') {
        if (i > word_start && is_word(text[i - 1]))
          head = {text.substr(word_start, i - word_start), {}};
      }
    }
  }
  while (!head.name.empty() && head.name.back() == ' ') head.name.remove_suffix(1);
  return head;
}

// Calls `visit(argument)` for each top-level template argument until it returns false.
template <typename Visit>
void for_each_argument(std::string_view arguments, Visit visit) {
  Brackets brackets;
  size_t start = 0;
  for (size_t i = 0; i <= arguments.size(); ++i) {
    const char c = i < arguments.size() ? arguments[i] : ',';
    brackets.pass(c, i > 0 ? arguments[i - 1] : ' ');
    if (c != ',' || (!brackets.outside() && i < arguments.size())) continue;
    std::string_view argument = arguments.substr(start, i - start);
    while (!argument.empty() && argument.front() == ' ') argument.remove_prefix(1);
    if (!visit(argument)) return;
    start = i + 1;
  }
}

// Wrappers that only hold the function that tells: PyTorch's gpu_kernel_impl_nocast<...> and the
// like.
bool is_wrapper(std::string_view identifier) {
  return identifier.substr(0, 15) == "gpu_kernel_impl" || identifier == "gpu_index_kernel";
}

// "ReduceOp<float, MeanOps<float>>" -> "ReduceOp<MeanOps>": the first argument that is not noise,
// three levels deep.
std::string telling_form(std::string_view text, int depth = 0) {
  const Head head = head_of(text);
  std::string form(is_wrapper(head.name) ? std::string_view() : head.name);
  if (depth >= 3 || head.arguments.empty()) return form;
  for_each_argument(head.arguments, [&](std::string_view argument) {
    const Head inner = head_of(argument);
    if (is_noise(inner.name)) return true;
    const std::string told = telling_form(argument, depth + 1);
    if (told.empty()) return true;
    form += form.empty() ? told : "<" + told + ">";
    return false;
  });
  return form;
}

}  // namespace

std::string demangled_name(std::string_view raw) {
  if (raw.substr(0, 2) != "_Z") return std::string(raw);
  std::string readable = demangle(raw);
  if (!readable.empty()) return readable;
  std::string head = qualified_head(raw);
  return head.empty() ? std::string(raw) : head;
}

std::string_view without_arguments(std::string_view name) {
  // " const", " [clone .kd]" and the like stand behind the list.
  size_t end = name.size();
  while (end > 0) {
    const std::string_view head = name.substr(0, end);
    if (ends_with(head, "]")) {
      const size_t open = opening_of(head, end - 1, '[', ']');
      if (open == std::string_view::npos || open == 0 || name[open - 1] != ' ') break;
      end = open - 1;
    } else if (ends_with(head, " const")) {
      end -= 6;
    } else {
      break;
    }
  }
  if (end == 0 || name[end - 1] != ')') return name;
  const size_t open = opening_of(name, end - 1, '(', ')');
  // "Memcpy HtoD (Pageable -> Device)" has no argument list.
  if (open == std::string_view::npos || open == 0 || name[open - 1] == ' ') return name;
  if (ends_with(name.substr(0, open), "operator")) return name.substr(0, end);
  if (name.substr(open, end - open) == "(anonymous namespace)") return name;
  return name.substr(0, open);
}

std::string short_name(std::string_view raw, size_t width) {
  const std::string readable = demangled_name(annotation_name(raw));
  std::string_view name = without_arguments(readable);
  // A return type is divided from the name by the last blank outside all brackets.
  Brackets brackets;
  size_t blank = std::string_view::npos;
  for (size_t i = 0; i < name.size(); ++i) {
    brackets.pass(name[i], i > 0 ? name[i - 1] : ' ');
    if (name[i] == ' ' && brackets.outside()) blank = i;
  }
  // "aten::empty": an operator of PyTorch, no function of C++; "empty" or "to" alone would read as
  // prose.
  if (name.substr(0, 6) == "aten::") return cut_middle(name, width);
  // "seq = 46359, op_id = 9": an annotation, no name of C++ either.
  const bool listed = blank != std::string_view::npos && blank > 0 &&
                      (name[blank - 1] == ',' || name[blank - 1] == '=');
  const bool is_code =
      !listed && (name.find("::") != std::string_view::npos ||
                  name.find('<') != std::string_view::npos || name.size() != readable.size());
  if (!is_code) return cut_middle(name, width);
  if (blank != std::string_view::npos) name.remove_prefix(blank + 1);
  std::string form = telling_form(name);
  // An operator or anything else this reading of C++ is too simple for: better long than empty.
  if (form.empty()) form = std::string(name);
  return cut_middle(form, width);
}

std::string cut_middle(std::string_view text, size_t width) {
  std::string shown = printable(text);
  if (static_cast<size_t>(display_width(shown)) <= width) return shown;
  std::vector<size_t> starts;  // of each character
  for (size_t i = 0; i < shown.size(); i += decode_utf8(std::string_view(shown).substr(i)).bytes)
    starts.push_back(i);
  starts.push_back(shown.size());
  const auto columns = [&](size_t from, size_t to) {
    return static_cast<size_t>(display_width(std::string_view(shown).substr(from, to - from)));
  };
  const size_t kept = width > 2 ? width - 2 : 0;
  // The head says more than the tail: two thirds against one.
  const size_t tail_columns = kept / 3, head_columns = kept - tail_columns;
  size_t head = 0, tail = starts.size() - 1;
  while (columns(0, starts[head + 1]) <= head_columns) ++head;
  while (columns(starts[tail - 1], shown.size()) <= tail_columns) --tail;
  return shown.substr(0, starts[head]) + (width >= 2 ? ".." : "") + shown.substr(starts[tail]);
}

}  // namespace deepprof
