#include "test/fake/cupti/worker.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

#include "test/fake/clock.h"
#include "test/fake/cupti/account.h"
#include "test/fake/cupti/settings.h"
#include "test/fake/cupti/version.h"

namespace deepprof::fake {
namespace {

bool later(const Completion& a, const Completion& b) { return a.ready_ns > b.ready_ns; }

struct Worker {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Buffer*> ready;
  std::vector<Completion> pending;  // a heap, the earliest on top
  uint64_t handed = 0, taken = 0;   // buffers
  int flushing = 0, applying = 0;
  bool running = false, stopped = false;
  pthread_t thread{};
};

// Never destroyed: used while the process ends.
Worker& worker() {
  static Worker* const it = new Worker;
  return *it;
}

void note_delivery(const Buffer& buffer, size_t valid, bool cut) {
  Account& a = account();
  uint64_t total = 0;
  for (uint32_t kind = 0; kind < kAccountKinds; ++kind) {
    const uint64_t n = buffer.count[kind] - (cut && kind == buffer.last_kind ? 1 : 0);
    a.delivered[kind] += n;
    if (kind != kOwnCalls) total += n;
  }
  a.bad_times += buffer.bad_times;
  a.unknown += buffer.unknown;
  a.alien += buffer.alien;
  a.truncated += cut;
  ++a.buffers_delivered;
  a.bytes_delivered += valid;
  // One writer: the worker.
  static uint64_t delivered = 0;
  delivered += total;
  const uint64_t at = a.history_length.load();
  auto& moment = a.history[at % Account::kHistory];
  moment.monotonic_ns = monotonic_ns();
  moment.delivered = delivered;
  a.history_length = at + 1;
}

void deliver(Buffer* buffer) {
  Client& owner = buffer->sink->owner();
  const uint64_t every = settings().truncate_every;
  const bool cut = every && (account().buffers_delivered + 1) % every == 0 && buffer->alien == 0;
  const size_t valid = buffer->used - (cut ? 8 : 0);
  if (const BufferCallbacks* callbacks = owner.buffers.load()) {
    if (callbacks->complete_v2) {
      CallbackInfo info{sizeof info, 0, nullptr, 0};
      callbacks->complete_v2(buffer->data, buffer->size, valid, &info);
    } else if (callbacks->complete) {
      callbacks->complete(nullptr, 0, buffer->data, buffer->size, valid);
    }
  }
  if (has_account(owner)) note_delivery(*buffer, valid, cut);
  // A forced-out buffer stays known while completions still name it.
  buffer->delivered = true;
  buffer->sink->lock();
  const bool last_use = buffer->incomplete == 0;
  buffer->sink->unlock();
  if (last_use) delete buffer;
}

void apply(const Completion& c) {
  Sink& sink = *c.buffer->sink;
  sink.lock();
  if (!c.buffer->returned) {
    memcpy(c.buffer->data + c.offset + c.times_at, &c.start_ns, 8);
    memcpy(c.buffer->data + c.offset + c.times_at + 8, &c.end_ns, 8);
    --c.buffer->bad_times;  // incomplete records count as such until now
    sink.complete(*c.buffer);
    sink.unlock();
    return;
  }
  const bool last_use = --c.buffer->incomplete == 0 && c.buffer->delivered;
  sink.unlock();
  if (last_use) delete c.buffer;
}

// With `lock` held on entry and exit.
void apply_due(Worker& w, std::unique_lock<std::mutex>& lock) {
  const int64_t now = monotonic_ns();
  std::vector<Completion> due;
  while (!w.pending.empty() && w.pending.front().ready_ns <= now) {
    std::pop_heap(w.pending.begin(), w.pending.end(), later);
    due.push_back(w.pending.back());
    w.pending.pop_back();
  }
  ++w.applying;
  lock.unlock();
  for (const Completion& completion : due) apply(completion);
  lock.lock();
  if (--w.applying == 0) w.changed.notify_all();
}

// Full buffers are held back so that they can come back in the wrong order.
bool holds_back(const Worker& w) {
  return settings().reverse && w.flushing == 0 && w.ready.size() < 4;
}

void deliver_ready(Worker& w, std::unique_lock<std::mutex>& lock) {
  while (!w.ready.empty() && !holds_back(w)) {
    std::vector<Buffer*> batch(w.ready.begin(), w.ready.end());
    w.ready.clear();
    if (settings().reverse) std::reverse(batch.begin(), batch.end());
    lock.unlock();
    for (Buffer* buffer : batch) deliver(buffer);
    lock.lock();
    w.taken += batch.size();
    w.changed.notify_all();
  }
}

void run(Worker& w) {
  std::unique_lock lock(w.mutex);
  w.thread = pthread_self();
  pthread_setname_np(w.thread, "fake-cupti");  // so that its time is not taken for the job's
  while (!w.stopped) {
    if (const int64_t late_ms = settings().worker_late_ms) {
      lock.unlock();
      sleep_until_monotonic(monotonic_ns() + late_ms * 1'000'000);
      lock.lock();
    }
    apply_due(w, lock);
    deliver_ready(w, lock);
    if (!w.ready.empty() && !holds_back(w)) continue;
    if (w.pending.empty()) {
      w.changed.wait(lock);
    } else {
      const int64_t wait_ns = w.pending.front().ready_ns - monotonic_ns();
      if (wait_ns > 0) w.changed.wait_for(lock, std::chrono::nanoseconds(wait_ns));
    }
  }
}

// Signals are the job's: none may land on this thread.
void start(Worker& w) {
  if (w.running) return;
  w.running = true;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([&w] { run(w); }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

void hand_to_worker(Buffer* buffer) {
  Worker& w = worker();
  const std::lock_guard lock(w.mutex);
  start(w);
  w.ready.push_back(buffer);
  ++w.handed;
  w.changed.notify_all();
}

void complete_later(const Completion& completion) {
  Worker& w = worker();
  const std::lock_guard lock(w.mutex);
  start(w);
  w.pending.push_back(completion);
  std::push_heap(w.pending.begin(), w.pending.end(), later);
  if (w.pending.front().buffer == completion.buffer &&
      w.pending.front().offset == completion.offset) {
    w.changed.notify_all();
  }
}

// A genuine flush asks the GPU first: what that has done is complete, however late this machine's
// one worker is.
void apply_all_due() {
  Worker& w = worker();
  std::unique_lock lock(w.mutex);
  apply_due(w, lock);
  w.changed.wait(lock, [&] { return w.applying == 0 || w.stopped; });
}

void flush_all(bool forced) {
  apply_all_due();
  std::vector<Buffer*> out;
  for (int i = 0; i < kClients; ++i) {
    Client& c = client(i);
    const std::lock_guard lock(c.sinks_mutex);
    for (Sink* sink : c.sinks) {
      std::vector<Buffer*> of_sink;
      sink->lock();
      sink->take(forced, of_sink);
      sink->unlock();
      out.insert(out.end(), of_sink.begin(), of_sink.end());
    }
  }
  Worker& w = worker();
  std::unique_lock lock(w.mutex);
  start(w);
  w.ready.insert(w.ready.end(), out.begin(), out.end());
  w.handed += out.size();
  if (pthread_equal(pthread_self(), w.thread)) return;  // called from the client's callback
  const uint64_t until = w.handed;
  ++w.flushing;
  w.changed.notify_all();
  w.changed.wait(lock, [&] { return w.taken >= until || w.stopped; });
  --w.flushing;
}

void stop_worker() {
  Worker& w = worker();
  const std::lock_guard lock(w.mutex);
  w.stopped = true;
  w.changed.notify_all();
}

}  // namespace deepprof::fake
