// A block of rows (events or ranges) as one chunk payload: columns, each compressed on its own.
//
// What repeats of an event (kind, name, device, stream or thread, detail) is its token; a block
// lists its distinct tokens once and each row names one. Rows are put in order of (correlation id,
// start): the launch order of a job repeats, so the token column of a training loop repeats too. A
// start is stored as the gap to the end of the row before it on the same track; an op that its
// stream waited for, as the gap to the end of the call that launched it.
//
// Blocks are decoded alone: they refer only to the names and to their segment's details.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "libdeepprof/trace/bytes.h"
#include "libdeepprof/trace/predecessors.h"
#include "libdeepprof/trace/row.h"
#include "libdeepprof/trace/stream.h"
#include "libdeepprof/trace/time_column.h"

namespace deepprof {

inline constexpr size_t kBlockRows = 16 * 1024;     // what the writer fills a block with
inline constexpr size_t kMaxBlockRows = 64 * 1024;  // what a reader accepts

class RowBlockEncoder {
 public:
  RowBlockEncoder() : times_(packer_) {}
  // Appends the payload to `out`. Precondition: 1..kMaxBlockRows rows whose tokens are all listed.
  void encode(std::span<const Row> rows, std::span<const Token> tokens, ByteSink& out);

 private:
  void order(std::span<const Row> rows);
  void rank_tokens(std::span<const Token> tokens);
  void encode_tokens(ByteSink& out);
  void encode_ids(ByteSink& out);
  void encode_times(int64_t first_ns, ByteSink& out);

  StreamPacker packer_;
  TimeColumnEncoder times_;
  Predecessors predecessors_;
  std::vector<Row> ordered_;   // rows in the block's order, naming tokens by rank
  std::vector<Token> ranked_;  // tokens, the most frequent first
  std::vector<uint32_t> ids_;  // the token of each row
  std::vector<uint64_t> keys_, other_keys_;
  std::vector<uint32_t> counts_, by_count_, rank_;
  std::vector<int64_t> gaps_[2], durations_[2];  // by lane: host, device
  std::vector<int64_t> leads_;
  Bytes bytes_;
  ByteSink columns_;
};

class RowBlockDecoder {
 public:
  RowBlockDecoder() : times_(unpacker_) {}
  // False when the payload is malformed. The results are valid until the next call.
  bool decode(ByteSpan payload);
  std::span<const Row> rows() const { return rows_; }
  std::span<const Token> tokens() const { return tokens_; }

 private:
  void decode_tokens(ByteReader& in, size_t count);
  void decode_ids(ByteReader& in);
  void decode_times(ByteReader& in, int64_t first_ns);

  StreamUnpacker unpacker_;
  TimeColumnDecoder times_;
  Predecessors predecessors_;
  std::vector<Token> tokens_;
  std::vector<Row> rows_;
  std::vector<uint32_t> ids_;
  std::vector<int64_t> gaps_[2], durations_[2];
  Bytes bytes_;
};

// Rows and time span of a block without decoding it, from the head of its payload.
struct RowBlockHead {
  uint64_t rows = 0;
  int64_t first_ns = 0;  // least start
  int64_t last_ns = 0;   // greatest end
};
RowBlockHead peek_row_block(ByteSpan payload);

}  // namespace deepprof
