// A client of the replay CUPTI: which kinds and calls it wants, its buffer callbacks and its
// buffers. The v1 functions all serve client 0; every cuptiSubscribe_v2 with
// allowMultipleSubscribers makes another.
//
// A sink is one chain of buffers: each launching thread has its own (CUPTI 13's default), or all
// share one. A record takes its place in the buffer at the launch and is complete when the GPU is
// done with the op; buffers are requested by the launching thread and returned by the worker
// (worker.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "test/fake/api_calls.h"
#include "test/fake/cupti/records.h"

namespace deepprof::fake {

inline constexpr uint32_t kCallIds = 4096;
inline constexpr int kClients = 4;

struct CallbackInfo {  // CUpti_BufferCallbackRequestInfo and ...CompleteInfo
  size_t struct_size;
  uint64_t thread;
  void** layouts;
  size_t layout_count;
};
struct BufferCallbacks {
  void (*request)(uint8_t** buffer, size_t* size, size_t* max_records) = nullptr;
  void (*complete)(void* context, uint32_t stream, uint8_t* buffer, size_t size,
                   size_t valid) = nullptr;
  void (*request_v2)(uint8_t**, size_t*, size_t*, CallbackInfo*) = nullptr;
  void (*complete_v2)(uint8_t*, size_t, size_t, CallbackInfo*) = nullptr;
};

// Which call ids of one domain are wanted.
struct CallSelection {
  std::atomic<uint8_t> on[kCallIds] = {};
  void set_all(bool wanted) {
    for (auto& flag : on) flag.store(wanted, std::memory_order_relaxed);
  }
  void set(uint32_t id, bool wanted) {
    if (id < kCallIds) on[id].store(wanted, std::memory_order_relaxed);
  }
  bool has(uint32_t id) const { return id < kCallIds && on[id].load(std::memory_order_relaxed); }
};

class Sink;

struct Buffer {
  Sink* sink = nullptr;
  uint8_t* data = nullptr;
  size_t size = 0, used = 0, max_records = 0, records = 0;
  uint32_t incomplete = 0;  // records whose op is still running
  bool returned = false;    // out of the chain, on its way to the client: hands off
  bool delivered = false;   // the client has taken it (worker thread only)
  uint32_t last_kind = 0, last_bytes = 0;
  uint32_t bad_times = 0, unknown = 0, alien = 0;
  uint32_t count[kAccountKinds] = {};
};

struct Client {
  std::atomic<bool> in_use{false};
  std::atomic<bool> kind_on[kActivityKinds] = {};
  CallSelection calls[3];                                // by Domain
  std::atomic<const BufferCallbacks*> buffers{nullptr};  // replaced, never freed
  std::atomic<bool> zeroed{false};                       // the client promises zeroed buffers
  std::atomic<uint64_t> dropped{0};

  // cuptiSubscribe's side.
  std::atomic<bool> subscribed{false};
  bool allows_others = false;
  char name[64] = {};
  void (*callback)(void*, uint32_t domain, uint32_t id, const void*) = nullptr;
  void* callback_data = nullptr;
  CallSelection callback_on[4];  // by domain; 3 is RESOURCE

  std::mutex sinks_mutex;
  std::vector<Sink*> sinks;  // never shrinks
};

Client& client(int index);
// The account is that of the first client of either family; other tools in the process keep none.
bool has_account(const Client& client);
int free_client();  // an unused v2 client, taken into use; -1: none left

// The calling thread's chain of buffers for the client.
Sink& sink_of_thread(Client& client);

// Where a record lies. No buffer: it was dropped.
struct Place {
  Buffer* buffer;
  size_t offset;
};

class Sink {
 public:
  explicit Sink(Client& owner) : owner_(owner) {}

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

  // All with the lock held.

  // Puts a record into the current buffer, asks for one where none has room, else drops and counts
  // it. `incomplete`: complete() will follow.
  Place append(uint32_t kind, const void* record, size_t bytes, bool incomplete);
  void complete(Buffer& buffer);
  // Takes out what may be returned now: buffers without an incomplete record, all of them if
  // `forced`.
  void take(bool forced, std::vector<Buffer*>& out);

  Client& owner() { return owner_; }

 private:
  Buffer* room_for(size_t bytes);
  Buffer* request();
  void retire();
  void close(Buffer& buffer);

  Client& owner_;
  std::mutex mutex_;
  Buffer* current_ = nullptr;
  std::vector<Buffer*> full_;  // waiting for incomplete records
  uint64_t since_unknown_ = 0;
};

}  // namespace deepprof::fake
