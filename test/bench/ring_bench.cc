// ring_bench: how many events one producer gets through the ring to a consumer that polls, as the
// drain thread does. Run by hand.
#include <sched.h>

#include <cstdio>
#include <thread>

#include "libdeepprof/capture/clock.h"
#include "libdeepprof/ring/event_ring.h"

using namespace deepprof;

namespace {

constexpr size_t kSlots = size_t{1} << 19;  // as in the injected library
constexpr uint64_t kEvents = 50'000'000;

Event event_of(uint64_t number, bool detail) {
  Event event;
  event.start_ns = static_cast<int64_t>(number);
  event.correlation = static_cast<uint32_t>(number);
  event.set_kind(Kind::kernel, detail);
  return event;
}

struct Figures {
  double events_per_s;
  uint64_t refused;  // pushes that met a full ring and were tried again
};

// The producer tries again when the ring is full, so that every event goes through: the figure is
// that of the slower side.
Figures through_ring(bool with_detail, int64_t pause_ns) {
  EventRing ring(kSlots);
  const int64_t began = monotonic_ns();
  std::thread producer([&] {
    const Detail detail;
    for (uint64_t i = 0; i < kEvents; ++i) {
      const Event event = event_of(i, with_detail);
      while (!ring.push(event, with_detail ? &detail : nullptr)) sched_yield();
    }
  });
  uint64_t received = 0, sum = 0;
  while (received < kEvents) {
    received += ring.drain(ring.published(),
                           [&](const Event& event, const Detail*) { sum += event.correlation; });
    if (pause_ns > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(pause_ns));
  }
  const double seconds = static_cast<double>(monotonic_ns() - began) / 1e9;
  producer.join();
  if (sum == 0) std::puts("nothing was read");
  return {static_cast<double>(kEvents) / seconds, ring.dropped()};
}

double uncontended_push_ns() {
  constexpr uint64_t kRound = kSlots - 1;
  EventRing ring(kSlots);
  int64_t spent_ns = 0;
  uint64_t pushed = 0;
  for (int round = 0; round < 100; ++round) {
    const int64_t began = read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (uint64_t i = 0; i < kRound; ++i) ring.push(event_of(i, false), nullptr);
    spent_ns += read_clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
    pushed += kRound;
    ring.drain(ring.published(), [](const Event&, const Detail*) {});
  }
  return static_cast<double>(spent_ns) / static_cast<double>(pushed);
}

}  // namespace

int main() {
  std::printf("uncontended push                     %6.2f ns\n", uncontended_push_ns());
  for (const bool detail : {false, true}) {
    for (const int64_t pause_ns : {int64_t{10'000}, int64_t{0}}) {
      const Figures figures = through_ring(detail, pause_ns);
      std::printf("%s, consumer %-14s %6.1f M events/s   (full %llu times)\n",
                  detail ? "two slots a record" : "one slot a record ",
                  pause_ns > 0 ? "pauses 10 us" : "spins", figures.events_per_s / 1e6,
                  static_cast<unsigned long long>(figures.refused));
    }
  }
}
