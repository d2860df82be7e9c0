#include "libdeepprof/text.h"

#include <locale.h>

#include <cstdarg>
#include <cstdio>

namespace deepprof {
namespace {

// The job's locale may print a comma where files and people expect a point. For this thread alone.
class NeutralLocale {
 public:
  NeutralLocale() : before_(::uselocale(neutral())) {}
  ~NeutralLocale() { ::uselocale(before_); }
  NeutralLocale(const NeutralLocale&) = delete;
  NeutralLocale& operator=(const NeutralLocale&) = delete;

 private:
  static locale_t neutral() {
    static const locale_t c = ::newlocale(LC_ALL_MASK, "C", nullptr);  // glibc's own: no memory
    return c;
  }
  locale_t before_;
};

void append_formatted(std::string& out, const char* format, va_list arguments) {
  const NeutralLocale neutral;
  va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  if (length > 0) {
    const size_t old_size = out.size();
    out.resize(old_size + static_cast<size_t>(length));
    // data()[size()] is the string's own terminator: vsnprintf may write its zero there.
    std::vsnprintf(out.data() + old_size, static_cast<size_t>(length) + 1, format, again);
  }
  va_end(again);
}

}  // namespace

std::string format_text(const char* format, ...) {
  std::string out;
  va_list arguments;
  va_start(arguments, format);
  append_formatted(out, format, arguments);
  va_end(arguments);
  return out;
}

void append_text(std::string& out, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  append_formatted(out, format, arguments);
  va_end(arguments);
}

}  // namespace deepprof
