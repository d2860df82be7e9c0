// Turns one buffer of CUPTI's records into events. Collector thread only.
//
// A record that cannot be used is counted as the loss it is, never guessed at:
//   bad_timestamp     zero, reversed or absurd times (CUPTI issues such records on its bad days)
//   truncated_record  cut by the end of the valid bytes
//   unknown_record    a kind that this version does not decode, skipped by its probed size
//   decode_refused    a kind whose records are shorter than the fields we need, or of no known
//                     size: the rest of the buffer cannot be walked; an op on a device beyond 255
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "libdeepprof/capture/loss_counters.h"
#include "libdeepprof/cupti/api.h"
#include "libdeepprof/cupti/name_cache.h"
#include "libdeepprof/cupti/stream_tracks.h"
#include "libdeepprof/cupti/strides.h"
#include "libdeepprof/cupti/thread_index.h"
#include "libdeepprof/cupti/thread_numbers.h"
#include "libdeepprof/event/event_place.h"

namespace deepprof::cupti {

// Which API records are kept, and whose they are. Where CUPTI can select calls it never makes the
// others; where it cannot (before 12.8) they are left out here, so that a trace holds the same
// calls whatever CUPTI recorded it.
struct CallFilter {
  bool selected_only = false;  // those that api_calls.h selects
  // Our own control thread, whose calls are not the job's: CUPTI names a thread by the low half of
  // pthread_self(), or by its kernel id where somebody in the process has asked for that.
  std::atomic<uint32_t> own_pthread{0}, own_tid{0};
  std::atomic<bool> own_call_seen{false};  // by the decoder: such calls are recorded
  ThreadNumbers threads;
};

class Decoder {
 public:
  Decoder(const Strides& strides, const Api& api, CallFilter& filter, NameInterner& names,
          DefinitionLog& log, LossCounters& losses)
      : strides_(strides),
        api_(api),
        filter_(filter),
        names_(names),
        kernel_names_(names),
        threads_(log, filter.threads),
        losses_(losses) {}

  // Calls emit(const Event&, const Detail*) for every usable record, in the buffer's order, which
  // is no order in time. Returns how many records it walked over. The buffer need not be aligned.
  template <typename Emit>
  size_t decode(const uint8_t* buffer, size_t valid_bytes, Emit&& emit) {
    Event event;
    Detail detail;
    const auto place = [&] { return EventPlace{event = Event(), detail = Detail()}; };
    return decode(buffer, valid_bytes, place, emit);
  }
  // Each record is built in what place() returns, an empty EventPlace.
  template <typename Place, typename Emit>
  size_t decode(const uint8_t* buffer, size_t valid_bytes, Place&& place, Emit&& emit) {
    kernel_names_.begin_buffer();
    threads_.begin_buffer();
    size_t walked = 0;
    for (size_t at = 0; at < valid_bytes; ++walked) {
      const size_t stride = next_stride(buffer + at, valid_bytes - at);
      if (stride == 0) break;
      const EventPlace record = place();
      if (decode_record(buffer + at, stride, record.event, record.detail)) {
        emit(record.event, record.event.has_detail() ? &record.detail : nullptr);
      }
      at += stride;
    }
    return walked;
  }

  // API records that the filter has left out so far.
  uint64_t calls_left_out() const { return calls_left_out_; }

  // The rest of a buffer had to be given up (no memory for a new name).
  void count_abandoned_buffer() { losses_.add(Loss::decode_refused); }

 private:
  // Size of the record, 0 if the walk must end here (counted).
  size_t next_stride(const uint8_t* record, size_t bytes_left);
  bool decode_record(const uint8_t* record, size_t stride, Event& event, Detail& detail);

  bool decode_kernel(const uint8_t* record, size_t stride, Event& event, Detail& detail);
  bool decode_memcpy(const uint8_t* record, size_t stride, Event& event, Detail& detail);
  bool decode_peer_copy(const uint8_t* record, size_t stride, Event& event, Detail& detail);
  bool decode_memset(const uint8_t* record, size_t stride, Event& event, Detail& detail);
  bool decode_graph(const uint8_t* record, Event& event);
  bool decode_sync(const uint8_t* record, Event& event, Detail& detail);
  bool decode_api_call(const uint8_t* record, bool runtime, Event& event);
  bool decode_overhead(const uint8_t* record, Event& event);
  bool decode_allocation(const uint8_t* record, Event& event, Detail& detail);

  template <typename Layout>
  bool set_place(const uint8_t* record, Event& event);
  bool set_times(Event& event, uint64_t start, uint64_t end);
  NameId copy_name(CopyKind kind, MemoryKind source, MemoryKind destination);
  bool is_own(uint32_t thread) const;
  bool is_kept(bool runtime, uint32_t cbid, uint32_t thread);
  NameId call_name(bool runtime, uint32_t cbid);
  NameId graph_name(uint32_t graph);
  uint16_t pool_number(uint64_t address);

  const Strides& strides_;
  const Api& api_;
  CallFilter& filter_;
  NameInterner& names_;
  NameCache kernel_names_;
  ThreadIndex threads_;
  StreamTracks tracks_;
  LossCounters& losses_;
  // names that we compose, by what they are made of
  std::unordered_map<uint64_t, NameId> made_names_;
  std::unordered_map<uint64_t, uint16_t> pools_;  // numbers by address
  uint64_t last_call_ = UINT64_MAX;
  NameId last_call_name_ = 0;
  uint64_t calls_left_out_ = 0;
};

}  // namespace deepprof::cupti
