#include "libdeepprof/event/loss.h"

namespace deepprof {
namespace {

constexpr std::array<LossInfo, kLossCount> kLosses{{
    {Loss::cupti_dropped, "cupti_dropped", Severity::error, "records dropped by CUPTI"},
    {Loss::no_buffer, "no_buffer", Severity::error,
     "buffer requests refused because the pool was empty"},
    {Loss::ring_full, "ring_full", Severity::error, "events dropped because the ring was full"},
    {Loss::write_failed, "write_failed", Severity::error,
     "events lost because the file could not be written"},
    {Loss::segment_evicted, "segment_evicted", Severity::note,
     "raw events let go to keep the file ceiling"},
    {Loss::bad_timestamp, "bad_timestamp", Severity::warning,
     "records without usable timestamps ignored"},
    {Loss::unknown_record, "unknown_record", Severity::note,
     "records of kinds this version does not know"},
    {Loss::truncated_record, "truncated_record", Severity::warning,
     "records cut by the end of their buffer"},
    {Loss::decode_refused, "decode_refused", Severity::error,
     "records that cannot be trusted: too short, of unknown size, or on a device beyond 255"},
    {Loss::file_damaged, "file_damaged", Severity::error, "chunks of the file missing or damaged"},
    {Loss::takeover, "takeover", Severity::error,
     "spells in which another tool had taken CUPTI over"},
    {Loss::name_table_full, "name_table_full", Severity::warning, "names replaced to bound memory"},
    {Loss::never_returned, "never_returned", Severity::error, "buffers CUPTI never returned"},
    {Loss::import_skipped, "import_skipped", Severity::warning,
     "input rows that could not be understood"},
}};

}  // namespace

std::span<const LossInfo> losses() { return kLosses; }

bool LossCounts::any(Severity at_least) const {
  for (const LossInfo& info : kLosses) {
    if (info.severity >= at_least && (*this)[info.loss] != 0) return true;
  }
  return false;
}

}  // namespace deepprof
