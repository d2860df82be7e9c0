#include "libdeepprof/cupti/decoder.h"

#include <string>
#include <vector>

#include "test/cupti/decoder_bench.h"
#include "test/cupti/record_buffer.h"
#include "test/support/catch.h"

namespace deepprof::cupti {

TEST_CASE("a kernel record becomes an event with its place, its launch and its grid") {
  Bench bench;
  RecordBuffer buffer = bench.buffer();
  using Layout = KernelLayout;
  buffer.kernel("gemm", 1'000, 1'750, 42)
      .put(Layout::device, 3u)
      .put(Layout::stream, 7u)
      .put(Layout::graph_node, uint64_t{5} << 32 | 9)
      .put(Layout::grid_x, 80u)
      .put(Layout::grid_y, 2u)
      .put(Layout::grid_z, 1u)
      .put(Layout::block_x, 256u)
      .put(Layout::block_y, 1u)
      .put(Layout::block_z, 1u)
      .put(Layout::registers, uint16_t{128})
      .put(Layout::static_shared, 1024u)
      .put(Layout::dynamic_shared, 48u);
  const std::vector<Decoded> events = bench.decode(buffer);
  REQUIRE(events.size() == 1);
  const auto& [event, detail] = events[0];
  CHECK(event.kind() == Kind::kernel);
  CHECK(event.start_ns == 1'000);
  CHECK(event.duration_ns() == 750);
  CHECK(event.device == 3);
  CHECK(event.track == 7);
  CHECK(event.correlation == 42);
  CHECK(event.graph_node == 9);
  CHECK(bench.name(events[0]) == "gemm");
  CHECK(detail.grid_x == 80);
  CHECK(detail.grid_y == 2);
  CHECK(detail.block_x == 256);
  CHECK(detail.registers == 128);
  CHECK(detail.shared_bytes == 1072);
}

TEST_CASE("records of CUDA 9, without graph fields, are read up to what they hold") {
  Strides strides = test::strides_of_13_0();
  strides.bytes[static_cast<size_t>(ActivityKind::concurrent_kernel)] = KernelLayout::kBaseBytes;
  Bench bench(strides);
  RecordBuffer buffer = bench.buffer();
  buffer.kernel("a", 10, 20).kernel("b", 30, 40);  // "b" lies where a graph node id would
  const std::vector<Decoded> events = bench.decode(buffer);
  REQUIRE(events.size() == 2);
  CHECK(events[0].event.graph_node == 0);
  CHECK(bench.name(events[1]) == "b");
}

TEST_CASE("copies carry bytes, direction and memory kinds, and a name made of them") {
  Bench bench;
  RecordBuffer buffer = bench.buffer();
  using Layout = MemcpyLayout;
  buffer.add(ActivityKind::memcpy)
      .put(Layout::copy_kind, uint8_t{1})
      .put(Layout::source, uint8_t{1})
      .put(Layout::destination, uint8_t{3})
      .put(Layout::bytes, uint64_t{4096})
      .put(Layout::start, uint64_t{5})
      .put(Layout::end, uint64_t{9})
      .put(Layout::device, 1u)
      .put(Layout::stream, 14u)
      .put(Layout::correlation, 8u);
  const std::vector<Decoded> events = bench.decode(buffer);
  REQUIRE(events.size() == 1);
  CHECK(events[0].event.kind() == Kind::memcpy);
  CHECK(events[0].event.track == 14);
  CHECK(events[0].event.correlation == 8);
  CHECK(events[0].detail.bytes == 4096);
  CHECK(events[0].detail.copy_kind == CopyKind::host_to_device);
  CHECK(bench.name(events[0]) == "Memcpy HtoD (Pageable -> Device)");
}

TEST_CASE("a peer copy takes its correlation id from its own layout") {
  Bench bench;
  RecordBuffer buffer = bench.buffer();
  using Layout = PeerCopyLayout;
  buffer.add(ActivityKind::memcpy2)
      .put(Layout::copy_kind, uint8_t{10})
      .put(Layout::source, uint8_t{3})
      .put(Layout::destination, uint8_t{3})
      .put(Layout::bytes, uint64_t{64})
      .put(Layout::start, uint64_t{5})
      .put(Layout::end, uint64_t{9})
      .put(Layout::stream, 2u)
      .put(Layout::correlation, 77u);
  const std::vector<Decoded> events = bench.decode(buffer);
  REQUIRE(events.size() == 1);
  CHECK(events[0].event.correlation == 77);
  CHECK(bench.name(events[0]) == "Memcpy PtoP (Device -> Device)");
}

TEST_CASE("a fill carries its bytes and is named for its memory") {
  Bench bench;
  RecordBuffer buffer = bench.buffer();
  using Layout = MemsetLayout;
  buffer.add(ActivityKind::memset)
      .put(Layout::bytes, uint64_t{512})
      .put(Layout::start, uint64_t{5})
      .put(Layout::end, uint64_t{6})
      .put(Layout::memory_kind, uint16_t{3})
      .put(Layout::correlation, 4u);
  const std::vector<Decoded> events = bench.decode(buffer);
  REQUIRE(events.size() == 1);
  CHECK(events[0].event.kind() == Kind::memset);
  CHECK(events[0].detail.bytes == 512);
  CHECK(bench.name(events[0]) == "Memset (Device)");
}

TEST_CASE("waits, whole graphs and overhead become events of their own kinds") {
  Bench bench;
  RecordBuffer buffer = bench.buffer();
  buffer.add(ActivityKind::synchronization)
      .put(SynchronizationLayout::type, 3u)
      .put(SynchronizationLayout::start, uint64_t{1})
      .put(SynchronizationLayout::end, uint64_t{2})
      .put(SynchronizationLayout::stream, 7u);
  buffer.add(ActivityKind::graph_trace)
      .put(GraphTraceLayout::start, uint64_t{3})
      .put(GraphTraceLayout::end, uint64_t{8})
      .put(GraphTraceLayout::graph, 6u)
      .put(GraphTraceLayout::correlation, 12u);
  buffer.add(ActivityKind::overhead)
      .put(OverheadLayout::overhead_kind, 1u << 16)
      .put(OverheadLayout::start, uint64_t{9})
      .put(OverheadLayout::end, uint64_t{10});
  const std::vector<Decoded> events = bench.decode(buffer);
  REQUIRE(events.size() == 3);
  CHECK(events[0].event.kind() == Kind::sync);
  CHECK(events[0].detail.sync_type == 3);
  CHECK(bench.name(events[0]) == "Stream Sync");
  CHECK(events[1].event.kind() == Kind::graph);
  CHECK(events[1].event.correlation == 12);
  CHECK(bench.name(events[1]) == "CUDA graph 6");
  CHECK(events[2].event.kind() == Kind::overhead);
  CHECK(bench.name(events[2]) == "Buffer Flush");
}

TEST_CASE("API calls are named and carry a dense thread index") {
  Bench bench;
  RecordBuffer buffer = bench.buffer();
  for (const uint32_t thread : {900u, 901u, 900u}) {
    buffer.add(ActivityKind::runtime)
        .put(ApiLayout::cbid, 211u)
        .put(ApiLayout::start, uint64_t{1})
        .put(ApiLayout::end, uint64_t{2})
        .put(ApiLayout::process, 33u)
        .put(ApiLayout::thread, thread);
  }
  buffer.add(ActivityKind::driver)
      .put(ApiLayout::cbid, 307u)
      .put(ApiLayout::start, uint64_t{1})
      .put(ApiLayout::end, uint64_t{2})
      .put(ApiLayout::process, 33u)
      .put(ApiLayout::thread, 901u);
  const std::vector<Decoded> events = bench.decode(buffer);
  REQUIRE(events.size() == 4);
  CHECK(bench.name(events[0]) == "cudaLaunchKernel");
  CHECK(bench.name(events[3]) == "cuLaunchKernel");
  CHECK(events[0].event.track == 0);
  CHECK(events[1].event.track == 1);
  CHECK(events[2].event.track == 0);
  CHECK(events[3].event.track == 1);
  size_t threads = 0;
  for (const Definition& definition : bench.definitions())
    threads += std::holds_alternative<ThreadDefinition>(definition);
  CHECK(threads == 2);
}

TEST_CASE("calls that were not selected, and our own thread's, are left out and counted") {
  Bench bench;
  bench.filter().selected_only = true;
  bench.filter().own_pthread = 77;
  RecordBuffer buffer = bench.buffer();
  const auto call = [&](uint32_t cbid, uint32_t thread) {
    buffer.add(ActivityKind::runtime)
        .put(ApiLayout::cbid, cbid)
        .put(ApiLayout::start, uint64_t{1})
        .put(ApiLayout::end, uint64_t{2})
        .put(ApiLayout::thread, thread);
  };
  call(211, 1);     // cudaLaunchKernel
  call(138, 1);     // cudaEventQuery: a query
  call(3, 1);       // cudaGetDeviceCount: not in the table
  call(60'000, 1);  // beyond any table
  call(211, 77);    // ours
  const std::vector<Decoded> events = bench.decode(buffer);
  REQUIRE(events.size() == 1);
  CHECK(bench.name(events[0]) == "cudaLaunchKernel");
  CHECK(bench.calls_left_out() == 4);
}

TEST_CASE("impossible times are counted and the walk goes on") {
  const auto [start, end] =
      GENERATE(std::pair<uint64_t, uint64_t>{0, 0}, std::pair<uint64_t, uint64_t>{0, 50},
               std::pair<uint64_t, uint64_t>{50, 0}, std::pair<uint64_t, uint64_t>{51, 50},
               std::pair<uint64_t, uint64_t>{uint64_t{1} << 63, (uint64_t{1} << 63) + 5},
               std::pair<uint64_t, uint64_t>{50, uint64_t{1} << 60});
  Bench bench;
  RecordBuffer buffer = bench.buffer();
  buffer.kernel("bad", start, end).kernel("good", 60, 70);
  const std::vector<Decoded> events = bench.decode(buffer);
  REQUIRE(events.size() == 1);
  CHECK(bench.name(events[0]) == "good");
  CHECK(bench.lost(Loss::bad_timestamp) == 1);
}

TEST_CASE("a record cut by the end of the valid bytes is counted") {
  Bench bench;
  RecordBuffer buffer = bench.buffer();
  buffer.kernel("a", 1, 2).kernel("b", 3, 4);
  const size_t cut = GENERATE(1, 2, 100, 215);
  CHECK(bench.decode(buffer.bytes(), buffer.bytes().size() - cut).size() == 1);
  CHECK(bench.lost(Loss::truncated_record) == 1);
}

TEST_CASE("a kind that this version does not decode is skipped by its size") {
  Strides strides = test::strides_of_13_0();
  constexpr auto kName = static_cast<ActivityKind>(11);
  strides.bytes[11] = 24;
  Bench bench(strides);
  RecordBuffer buffer = bench.buffer();
  buffer.add(kName).kernel("after", 1, 2);
  CHECK(bench.decode(buffer).size() == 1);
  CHECK(bench.lost(Loss::unknown_record) == 1);
}

TEST_CASE("a record of no known size ends the walk and is counted") {
  Bench bench;
  RecordBuffer buffer = bench.buffer();
  buffer.kernel("before", 1, 2)
      .kernel("never reached", 3, 4)
      .put(kRecordKind, GENERATE(0u, 12u, 199u, UINT32_MAX));
  CHECK(bench.decode(buffer).size() == 1);
  CHECK(bench.lost(Loss::decode_refused) == 1);
}

TEST_CASE("a kind whose records are too short for our fields is refused, not misread") {
  Strides strides = test::strides_of_13_0();
  strides.bytes[static_cast<size_t>(ActivityKind::memset)] = 32;
  Bench bench(strides);
  RecordBuffer buffer = bench.buffer();
  buffer.add(ActivityKind::memset).kernel("after", 1, 2);
  CHECK(bench.decode(buffer).size() == 1);
  CHECK(bench.lost(Loss::decode_refused) == 1);
}

TEST_CASE("a name whose address is reused by another module is read anew in the next buffer") {
  Bench bench;
  char name[32] = "first_kernel";
  RecordBuffer buffer = bench.buffer();
  buffer.kernel(name, 1, 2);
  const std::vector<Decoded> before = bench.decode(buffer);
  std::strcpy(name, "second");
  const std::vector<Decoded> after = bench.decode(buffer);
  CHECK(bench.name(before[0]) == "first_kernel");
  CHECK(bench.name(after[0]) == "second");
  CHECK(before[0].event.name != after[0].event.name);
}

TEST_CASE("more kernel addresses than the cache holds are all named rightly") {
  Bench bench(test::strides_of_13_0(), 64 << 20);
  std::vector<std::string> names;
  for (int i = 0; i < 100'000; ++i) names.push_back("kernel_" + std::to_string(i));
  for (int round = 0; round < 2; ++round) {
    bool right = true;
    for (size_t from = 0; from < names.size(); from += 5'000) {
      RecordBuffer buffer = bench.buffer();
      for (size_t i = from; i < from + 5'000; ++i)
        buffer.kernel(names[i].c_str(), 1, 2, static_cast<uint32_t>(i));
      for (const Decoded& decoded : bench.decode(buffer)) {
        right &= bench.name(decoded) == names[decoded.event.correlation];
      }
    }
    CHECK(right);
  }
}

TEST_CASE("a kernel without a name has the empty name") {
  Bench bench;
  RecordBuffer buffer = bench.buffer();
  buffer.kernel(nullptr, 1, 2);
  REQUIRE(bench.decode(buffer).size() == 1);
}

TEST_CASE("streams of a second context on a device are tracks of their own") {
  Bench bench;
  RecordBuffer buffer = bench.buffer();
  using Layout = KernelLayout;
  const auto kernel = [&](uint32_t device, uint32_t context, uint32_t stream) {
    buffer.kernel("k", 1'000, 2'000)
        .put(Layout::device, device)
        .put(Layout::context, context)
        .put(Layout::stream, stream);
  };
  kernel(0, 1, 7);
  kernel(0, 2, 7);
  kernel(1, 3, 7);
  kernel(0, 1, 13);
  kernel(0, 2, 13);
  const auto wait = [&](uint32_t context, uint32_t stream) {
    using Wait = SynchronizationLayout;
    buffer.add(ActivityKind::synchronization)
        .put(Wait::start, uint64_t{1})
        .put(Wait::end, uint64_t{2})
        .put(Wait::context, context)
        .put(Wait::stream, stream);
  };
  wait(2, 7);
  wait(2, UINT32_MAX);
  std::vector<uint32_t> tracks;
  for (const Decoded& decoded : bench.decode(buffer)) tracks.push_back(decoded.event.track);
  CHECK(tracks == std::vector<uint32_t>{7, 10'000'007, 7, 13, 10'000'013, 10'000'007, UINT32_MAX});
}

TEST_CASE("an op on a device that no event can name is counted, and its neighbours are kept") {
  Bench bench;
  RecordBuffer buffer = bench.buffer();
  buffer.kernel("a", 1'000, 1'750, 1).put(KernelLayout::device, 255u);
  buffer.kernel("b", 2'000, 2'750, 2).put(KernelLayout::device, 256u);
  buffer.kernel("c", 3'000, 3'750, 3).put(KernelLayout::device, 0u);
  const std::vector<Decoded> events = bench.decode(buffer);
  REQUIRE(events.size() == 2);
  CHECK(events[0].event.device == 255);
  CHECK(bench.name(events[1]) == "c");
  CHECK(bench.lost(Loss::decode_refused) == 1);
}

TEST_CASE("beyond the memory ceiling names share a placeholder and are counted") {
  Bench bench(test::strides_of_13_0(), 4096);
  RecordBuffer buffer = bench.buffer();
  std::vector<std::string> names;
  for (int i = 0; i < 500; ++i) names.push_back("kernel_" + std::to_string(i));
  for (const std::string& name : names) buffer.kernel(name.c_str(), 1, 2);
  const std::vector<Decoded> events = bench.decode(buffer);
  REQUIRE(events.size() == 500);
  CHECK(bench.name(events.front()) == "kernel_0");
  CHECK(bench.name(events.back()) == "(name table full)");
  CHECK(bench.lost(Loss::name_table_full) > 0);
}

TEST_CASE("random bytes never make the decoder read outside the buffer") {
  Bench bench;
  uint64_t state = 0x9e3779b97f4a7c15u;
  const auto random = [&] {
    return state = state * 6364136223846793005u + 1442695040888963407u, state >> 33;
  };
  for (int round = 0; round < 2'000; ++round) {
    // Exactly sized, so that AddressSanitizer sees a read beyond it. No kernel kinds: their names
    // are pointers, which CUPTI alone can vouch for.
    std::vector<uint8_t> bytes(random() % 600);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    constexpr uint32_t kKinds[] = {1, 2, 4, 5, 17, 22, 38, 51, 12};
    const uint32_t kind = kKinds[random() % 9];
    if (bytes.size() >= 4) std::memcpy(bytes.data(), &kind, 4);
    if (bytes.size() >= 200 && (bytes[96] == 3 || bytes[96] == 10)) continue;
    CHECK(bench.decode(bytes, bytes.size()).size() <= 1 + bytes.size() / 40);
  }
}

}  // namespace deepprof::cupti
