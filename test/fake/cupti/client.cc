#include "test/fake/cupti/client.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "test/fake/clock.h"
#include "test/fake/cupti/account.h"
#include "test/fake/cupti/settings.h"
#include "test/fake/cupti/version.h"
#include "test/fake/cupti/worker.h"

namespace deepprof::fake {
namespace {

bool per_thread_buffers() {
  const int wanted = settings().per_thread;
  return wanted < 0 ? kVersion.per_thread_buffers : wanted != 0;
}

bool is_zero(const uint8_t* data, size_t size) {
  return size == 0 || (data[0] == 0 && memcmp(data, data + 1, size - 1) == 0);
}

void note_request_time(int64_t took_ns) {
  Account& a = account();
  const auto took = static_cast<uint64_t>(std::max<int64_t>(took_ns, 0));
  uint64_t longest = a.longest_request_ns.load();
  while (took > longest && !a.longest_request_ns.compare_exchange_weak(longest, took)) {}
  size_t bucket = 0;
  for (uint64_t us = took / 1000; us > 0 && bucket + 1 < std::size(a.request_us); us /= 2) ++bucket;
  ++a.request_us[bucket];
}

Sink& new_sink(Client& client) {
  auto* sink = new Sink(client);
  const std::lock_guard lock(client.sinks_mutex);
  client.sinks.push_back(sink);
  return *sink;
}

}  // namespace

Client& client(int index) {
  // never destroyed: used while the process ends
  static auto* const clients = new Client[kClients];
  return clients[index];
}

bool has_account(const Client& of) { return &of == &client(0) || &of == &client(1); }

int free_client() {
  for (int i = 1; i < kClients; ++i) {
    if (!client(i).in_use.exchange(true)) return i;
  }
  return -1;
}

Sink& sink_of_thread(Client& owner) {
  const auto index = static_cast<size_t>(&owner - &client(0));
  if (per_thread_buffers()) {
    thread_local Sink* of_thread[kClients] = {};
    if (!of_thread[index]) of_thread[index] = &new_sink(owner);
    return *of_thread[index];
  }
  static std::atomic<Sink*> shared[kClients] = {};
  static std::mutex making;
  if (Sink* sink = shared[index].load()) return *sink;
  const std::lock_guard lock(making);
  if (!shared[index].load()) shared[index] = &new_sink(owner);
  return *shared[index].load();
}

Buffer* Sink::request() {
  const BufferCallbacks* callbacks = owner_.buffers.load();
  if (!callbacks) return nullptr;
  uint8_t* data = nullptr;
  size_t size = 0, max_records = 0;
  const int64_t before = monotonic_ns();
  if (callbacks->request_v2) {
    CallbackInfo info{sizeof(size_t), 0, nullptr, 0};
    callbacks->request_v2(&data, &size, &max_records, &info);
  } else {
    callbacks->request(&data, &size, &max_records);
  }
  note_request_time(monotonic_ns() - before);
  ++account().buffers_requested;
  if (!data) {
    ++account().buffers_refused;
    if (kVersion.crashes_on_null_buffer) {
      fprintf(stderr, "stand-in CUPTI: a NULL buffer crashes CUPTI before 12.9\n");
      abort();
    }
    return nullptr;
  }
  if (!owner_.zeroed) memset(data, 0, size);
  else if (!is_zero(data, size)) ++account().dirty_buffers;
  auto* buffer = new Buffer;
  buffer->sink = this;
  buffer->data = data;
  buffer->size = size;
  buffer->max_records = max_records;
  return buffer;
}

Buffer* Sink::room_for(size_t bytes) {
  const auto fits = [&](const Buffer& b) {
    return b.used + bytes <= b.size && (b.max_records == 0 || b.records < b.max_records);
  };
  if (current_ && !fits(*current_)) retire();
  if (!current_) current_ = request();
  return current_ && fits(*current_) ? current_ : nullptr;
}

Place Sink::append(uint32_t kind, const void* record, size_t bytes, bool incomplete) {
  Buffer* buffer = room_for(bytes);
  if (!buffer) {
    ++owner_.dropped;
    if (has_account(owner_)) ++account().dropped;
    return {};
  }
  const Place place{buffer, buffer->used};
  memcpy(buffer->data + buffer->used, record, bytes);
  buffer->used += bytes;
  ++buffer->records;
  buffer->incomplete += incomplete;
  buffer->last_kind = kind;
  buffer->last_bytes = static_cast<uint32_t>(bytes);
  ++buffer->count[kind];
  if (has_account(owner_)) account().written[kind].fetch_add(1, std::memory_order_relaxed);

  const uint64_t every = settings().unknown_every;
  if (every && kind != kNameKind && ++since_unknown_ % every == 0) {
    NameRecord uncalled_for{};
    uncalled_for.kind = kNameKind;
    uncalled_for.name = "nobody asked for this record";
    if (Buffer* with = append(kNameKind, &uncalled_for, sizeof uncalled_for, false).buffer)
      ++with->unknown;
  }
  return place;
}

// No further record goes into the buffer.
void Sink::close(Buffer& buffer) {
  constexpr uint32_t kAlienKind = 199, kAlienBytes = 32;
  if (!settings().alien || buffer.size - buffer.used < kAlienBytes) return;
  memcpy(buffer.data + buffer.used, &kAlienKind, sizeof kAlienKind);
  buffer.used += kAlienBytes;
  ++buffer.alien;
}

// The current buffer is full: it goes to the worker, or waits for its incomplete records.
void Sink::retire() {
  Buffer* buffer = current_;
  current_ = nullptr;
  close(*buffer);
  if (buffer->incomplete == 0 && !settings().withhold) {
    buffer->returned = true;
    hand_to_worker(buffer);
  } else {
    full_.push_back(buffer);
  }
}

void Sink::complete(Buffer& buffer) {
  if (--buffer.incomplete > 0 || buffer.returned || settings().withhold) return;
  const auto found = std::find(full_.begin(), full_.end(), &buffer);
  if (found == full_.end()) return;  // the current one: it may still grow
  full_.erase(found);
  buffer.returned = true;
  hand_to_worker(&buffer);
}

void Sink::take(bool forced, std::vector<Buffer*>& out) {
  if (settings().withhold && !forced) return;
  const auto may_go = [&](const Buffer& b) { return forced || b.incomplete == 0; };
  for (Buffer* buffer : full_) {
    if (may_go(*buffer)) out.push_back(buffer);
  }
  std::erase_if(full_, [&](Buffer* b) { return may_go(*b); });
  if (current_ && current_->used > 0 && may_go(*current_)) {
    close(*current_);
    out.push_back(current_);
    current_ = nullptr;
  }
  for (Buffer* buffer : out) buffer->returned = true;
}

}  // namespace deepprof::fake
