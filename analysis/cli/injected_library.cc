#include "analysis/cli/injected_library.h"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include "analysis/cli/program_files.h"
#include "analysis/import/message.h"

namespace deepprof {
namespace {

using Header = ElfW(Ehdr);

// Nothing where the bytes are no ELF file of this program's word length and byte order.
std::optional<Header> header_of(std::string_view bytes) {
  constexpr int kClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
  constexpr int kOrder = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
  Header header;
  if (bytes.size() < sizeof header) return {};
  std::memcpy(&header, bytes.data(), sizeof header);
  const bool is_native = std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                         header.e_ident[EI_CLASS] == kClass && header.e_ident[EI_DATA] == kOrder;
  return is_native ? std::optional(header) : std::nullopt;
}

// Programs alone name the loader that they want.
bool is_program(const Header& header, std::string_view bytes) {
  for (size_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment;
    const size_t at = header.e_phoff + i * sizeof segment;
    if (at > bytes.size() || bytes.size() - at < sizeof segment) return false;
    std::memcpy(&segment, bytes.data() + at, sizeof segment);
    if (segment.p_type == PT_INTERP) return true;
  }
  return false;
}

int own_machine() {
  std::string bytes(sizeof(Header), '\0');
  std::ifstream("/proc/self/exe", std::ios::binary)
      .read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  const std::optional<Header> header = header_of(bytes);
  return header ? header->e_machine : EM_NONE;
}

}  // namespace

std::optional<std::string> find_injected_library() {
  const std::string file = std::string("/") + kInjectedLibrary;
  return find_beside_program(
      {"." + file, "../lib" + file, "../" DEEPPROF_INSTALL_LIBDIR + file, "../../lib" + file});
}

std::string unfit_as_library(const std::string& path) {
  using namespace std::string_view_literals;
  constexpr std::string_view kSymbol = "\0InitializeInjection\0"sv;  // in the table of symbols
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
    return concat(path, " is no file");  // a pipe would keep who opens it waiting
  std::ifstream file(path, std::ios::binary);
  if (!file) return concat("cannot read ", path, ": ", std::strerror(errno));
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!bytes.starts_with(ELFMAG)) return concat(path, " is no shared library");
  const std::optional<Header> header = header_of(bytes);
  if (!header || header->e_machine != own_machine())
    return concat(path, " is for another kind of machine");
  if (is_program(*header, bytes)) return concat(path, " is a program, no library");
  if (header->e_type != ET_DYN || bytes.find(kSymbol) == std::string::npos)
    return concat(path, " is no library for the driver to load: it has no InitializeInjection");
  return {};
}

std::string unfit_for_preload(const std::string& path) {
  // The loader parts its list at the first two, and may replace what follows the third.
  if (path.find_first_of(" :$") == std::string::npos) return {};
  return concat("LD_PRELOAD cannot name ", path,
                ": its path has a blank, a colon or a $; copy or link the library elsewhere and "
                "name that with --library");
}

}  // namespace deepprof
