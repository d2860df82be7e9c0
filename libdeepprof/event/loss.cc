#include "libdeepprof/event/loss.h"

namespace deepprof {
namespace {

constexpr std::array<LossInfo, kLossCount> kLosses{{
    {Loss::cupti_dropped, "cupti_dropped", Severity::error, "record", "dropped by CUPTI"},
    {Loss::no_buffer, "no_buffer", Severity::error, "buffer request",
     "refused because the pool was empty"},
    {Loss::ring_full, "ring_full", Severity::error, "event", "dropped because the ring was full"},
    {Loss::write_failed, "write_failed", Severity::error, "event",
     "lost because the file could not be written"},
    {Loss::segment_evicted, "segment_evicted", Severity::note, "raw event",
     "let go to keep the file ceiling"},
    {Loss::bad_timestamp, "bad_timestamp", Severity::warning, "record",
     "without usable timestamps ignored"},
    {Loss::unknown_record, "unknown_record", Severity::note, "record",
     "of kinds this version does not know"},
    {Loss::truncated_record, "truncated_record", Severity::warning, "record",
     "cut by the end of their buffer"},
    {Loss::decode_refused, "decode_refused", Severity::error, "record",
     "that cannot be trusted: too short, of unknown size, on a device beyond 255, or of more bytes "
     "than there are"},
    {Loss::file_damaged, "file_damaged", Severity::error, "chunk",
     "of the file missing or damaged"},
    {Loss::takeover, "takeover", Severity::error, "spell",
     "in which another tool had taken CUPTI over"},
    {Loss::name_table_full, "name_table_full", Severity::warning, "name",
     "replaced to bound memory"},
    {Loss::never_returned, "never_returned", Severity::error, "buffer", "CUPTI never returned"},
    {Loss::import_skipped, "import_skipped", Severity::warning, "input row",
     "that could not be understood"},
}};

}  // namespace

std::span<const LossInfo> losses() { return kLosses; }

std::string LossInfo::words(uint64_t count) const {
  return std::string(noun) + (count == 1 ? " " : "s ") + std::string(what);
}

bool LossCounts::any(Severity at_least) const {
  for (const LossInfo& info : kLosses) {
    if (info.severity >= at_least && (*this)[info.loss] != 0) return true;
  }
  return false;
}

}  // namespace deepprof
