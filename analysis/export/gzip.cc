// By ISA-L where it is installed, else by zlib.
#include "analysis/export/gzip.h"

#include <cstdint>
#include <vector>

#ifdef DEEPPROF_HAVE_ISAL
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif

namespace deepprof {
namespace {

constexpr size_t kOutputBytes = 64 * 1024;

}  // namespace

#ifdef DEEPPROF_HAVE_ISAL

struct Gzip::State {
  State() : level_buffer(ISAL_DEF_LVL3_DEFAULT) {
    isal_deflate_init(&stream);
    stream.gzip_flag = IGZIP_GZIP;
    stream.level = 3;
    stream.level_buf = level_buffer.data();
    stream.level_buf_size = static_cast<uint32_t>(level_buffer.size());
  }

  // Takes from `text` and writes to `to`; `written` less than all the room: the text is used up.
  // False: the library reports an error.
  bool run(std::string_view& text, bool last, uint8_t* to, size_t room, size_t& written) {
    stream.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uint32_t>(text.size());
    stream.end_of_stream = last ? 1 : 0;
    stream.flush = NO_FLUSH;
    stream.next_out = to;
    stream.avail_out = static_cast<uint32_t>(room);
    const int result = isal_deflate(&stream);
    text.remove_prefix(text.size() - stream.avail_in);
    written = room - stream.avail_out;
    return result == COMP_OK;
  }

  isal_zstream stream{};
  std::vector<uint8_t> level_buffer;
};

#else

struct Gzip::State {
  static constexpr int kGzipHeader = 16, kLevel = 4;  // added to the window's bits
  State() {
    is_ready = deflateInit2(&stream, kLevel, Z_DEFLATED, MAX_WBITS + kGzipHeader, 8,
                            Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~State() { deflateEnd(&stream); }

  bool run(std::string_view& text, bool last, uint8_t* to, size_t room, size_t& written) {
    if (!is_ready) return false;
    stream.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = to;
    stream.avail_out = static_cast<uInt>(room);
    const int result = deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
    text.remove_prefix(text.size() - stream.avail_in);
    written = room - stream.avail_out;
    // Z_BUF_ERROR: there was nothing to do.
    return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR;
  }

  z_stream stream{};
  bool is_ready = false;
};

#endif

Gzip::Gzip() : state_(std::make_unique<State>()) {}
Gzip::~Gzip() = default;

bool Gzip::step(std::string_view text, bool last, const Put& put) {
  std::vector<uint8_t> out(kOutputBytes);
  // Output that fills its room may have more behind it.
  for (size_t ready = out.size(); ready == out.size() || !text.empty();) {
    constexpr size_t kMostAtOnce = size_t{1} << 30;  // both libraries count in 32 bits
    std::string_view part = text.substr(0, kMostAtOnce);
    const size_t given = part.size();
    if (!state_->run(part, last, out.data(), out.size(), ready)) return false;
    const size_t taken = given - part.size();
    if (given > 0 && taken == 0 && ready == 0) return false;  // it would never end
    text.remove_prefix(taken);
    put({reinterpret_cast<const char*>(out.data()), ready});
  }
  return true;
}

}  // namespace deepprof
