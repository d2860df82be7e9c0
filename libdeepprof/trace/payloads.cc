#include "libdeepprof/trace/payloads.h"

#include <algorithm>
#include <bit>

namespace deepprof {
namespace {

bool used_up(const ByteReader& in) { return !in.failed() && in.remaining() == 0; }

uint32_t take_u32(ByteReader& in) { return static_cast<uint32_t>(in.take_varint(UINT32_MAX)); }

// A count of records of at least one byte each: cannot exceed what is left.
size_t take_count(ByteReader& in) { return static_cast<size_t>(in.take_varint(in.remaining())); }

}  // namespace

void encode_names(std::span<const NameRecord> names, StreamPacker& packer, ByteSink& out) {
  ByteSink heads, texts;
  NameId before = 0;
  for (const NameRecord& name : names) {
    heads.put_zigzag(int64_t{name.id} - int64_t{before});
    heads.put_varint(name.text.size());
    texts.put_bytes({reinterpret_cast<const uint8_t*>(name.text.data()), name.text.size()});
    before = name.id;
  }
  packer.pack(heads.bytes(), out);
  packer.pack(texts.bytes(), out);
}

bool decode_names(ByteSpan payload, StreamUnpacker& unpacker, Bytes& storage,
                  std::vector<NameRecord>& names) {
  ByteReader in(payload);
  Bytes head_storage;
  ByteReader heads(unpacker.unpack(in, kMaxNamesBytes, head_storage));
  ByteReader texts(unpacker.unpack(in, kMaxNamesBytes, storage));
  names.clear();
  int64_t id = 0;
  while (heads.remaining() > 0) {
    id += heads.take_zigzag();
    if (id < 0 || id > UINT32_MAX) return false;
    const ByteSpan text = texts.take_bytes(heads.take_varint());
    names.push_back(
        {static_cast<NameId>(id), {reinterpret_cast<const char*>(text.data()), text.size()}});
  }
  return used_up(in) && used_up(heads) && used_up(texts);
}

void encode_threads(std::span<const ThreadRecord> threads, ByteSink& out) {
  out.put_varint(threads.size());
  for (const ThreadRecord& thread : threads) {
    out.put_varint(thread.index);
    out.put_varint(thread.pid);
    out.put_varint(thread.tid);
    out.put_text(thread.name);
  }
}

bool decode_threads(ByteSpan payload, std::vector<ThreadRecord>& threads) {
  ByteReader in(payload);
  threads.assign(take_count(in), {});
  for (ThreadRecord& thread : threads) {
    thread.index = static_cast<uint32_t>(in.take_varint(kMaxThreads - 1));
    thread.pid = take_u32(in);
    thread.tid = in.take_varint();
    thread.name = in.take_text();
    if (in.failed()) return false;
  }
  return used_up(in);
}

void encode_devices(std::span<const DeviceRecord> devices, ByteSink& out) {
  out.put_varint(devices.size());
  for (const DeviceRecord& device : devices) {
    out.put_varint(device.id);
    out.put_text(device.name);
    out.put_varint(device.sm_count);
    out.put_varint(device.memory_bytes);
    out.put_varint(device.compute_major);
    out.put_varint(device.compute_minor);
    out.put_varint(device.max_threads_per_sm);
  }
}

bool decode_devices(ByteSpan payload, std::vector<DeviceRecord>& devices) {
  ByteReader in(payload);
  devices.assign(take_count(in), {});
  for (DeviceRecord& device : devices) {
    device.id = take_u32(in);
    device.name = in.take_text();
    device.sm_count = take_u32(in);
    device.memory_bytes = in.take_varint();
    device.compute_major = take_u32(in);
    device.compute_minor = take_u32(in);
    device.max_threads_per_sm = take_u32(in);
    if (in.failed()) return false;
  }
  return used_up(in);
}

void encode_facts(const Facts& facts, ByteSink& out) {
  out.put_varint(facts.size());
  for (const auto& [key, value] : facts) {
    out.put_text(key);
    out.put_text(value);
  }
}

bool decode_facts(ByteSpan payload, Facts& facts) {
  ByteReader in(payload);
  facts.assign(take_count(in), {});
  for (auto& [key, value] : facts) {
    key = in.take_text();
    value = in.take_text();
    if (in.failed()) return false;
  }
  return used_up(in);
}

void encode_losses(const LossCounts& losses, ByteSink& out) {
  out.put(static_cast<uint32_t>(losses.count.size()));
  for (const uint64_t count : losses.count) out.put(count);
}

bool decode_losses(ByteSpan payload, LossCounts& losses) {
  ByteReader in(payload);
  const auto rows = in.take<uint32_t>();
  if (in.remaining() != size_t{rows} * sizeof(uint64_t)) return false;
  losses = {};
  for (uint32_t row = 0; row < rows; ++row) {
    const auto count = in.take<uint64_t>();
    if (row < losses.count.size()) losses.count[row] = count;
  }
  return used_up(in);
}

void encode_segment(const SegmentRecord& segment, ByteSink& out) {
  out.put(segment.number);
  out.put(segment.oldest_kept);
  out.put(segment.rows_evicted);
}

bool decode_segment(ByteSpan payload, SegmentRecord& segment) {
  ByteReader in(payload);
  segment.number = in.take<uint32_t>();
  segment.oldest_kept = in.take<uint32_t>();
  segment.rows_evicted = in.take<uint64_t>();
  return used_up(in);
}

void encode_details(uint32_t first_index, std::span<const Detail> details, StreamPacker& packer,
                    ByteSink& out) {
  out.put_varint(first_index);
  out.put_varint(details.size());
  ByteSink columns;
  for (const Detail& d : details) columns.put_varint(d.bytes);
  for (const Detail& d : details) columns.put_varint(d.grid_x);
  for (const Detail& d : details) columns.put_varint(d.grid_y);
  for (const Detail& d : details) columns.put_varint(d.grid_z);
  for (const Detail& d : details) columns.put_varint(d.block_x);
  for (const Detail& d : details) columns.put_varint(d.block_y);
  for (const Detail& d : details) columns.put_varint(d.block_z);
  for (const Detail& d : details) columns.put_varint(d.registers);
  for (const Detail& d : details) columns.put_varint(d.shared_bytes);
  for (const Detail& d : details) columns.put(static_cast<uint8_t>(d.copy_kind));
  for (const Detail& d : details) columns.put(static_cast<uint8_t>(d.source));
  for (const Detail& d : details) columns.put(static_cast<uint8_t>(d.destination));
  for (const Detail& d : details) columns.put(d.sync_type);
  packer.pack(columns.bytes(), out);
}

bool decode_details(ByteSpan payload, StreamUnpacker& unpacker, uint32_t& first_index,
                    std::vector<Detail>& details) {
  ByteReader in(payload);
  first_index = static_cast<uint32_t>(in.take_varint(kMaxDetailsPerSegment));
  details.assign(in.take_varint(kMaxDetailsPerSegment), {});
  Bytes storage;
  ByteReader columns(unpacker.unpack(in, details.size() * 64, storage));
  const auto take16 = [&] { return static_cast<uint16_t>(columns.take_varint(UINT16_MAX)); };
  for (Detail& d : details) d.bytes = columns.take_varint();
  for (Detail& d : details) d.grid_x = take_u32(columns);
  for (Detail& d : details) d.grid_y = take16();
  for (Detail& d : details) d.grid_z = take16();
  for (Detail& d : details) d.block_x = take16();
  for (Detail& d : details) d.block_y = take16();
  for (Detail& d : details) d.block_z = take16();
  for (Detail& d : details) d.registers = take16();
  for (Detail& d : details) d.shared_bytes = take_u32(columns);
  for (Detail& d : details) d.copy_kind = static_cast<CopyKind>(columns.take<uint8_t>());
  for (Detail& d : details) d.source = static_cast<MemoryKind>(columns.take<uint8_t>());
  for (Detail& d : details) d.destination = static_cast<MemoryKind>(columns.take<uint8_t>());
  for (Detail& d : details) d.sync_type = columns.take<uint8_t>();
  return used_up(columns) && used_up(in);
}

// A series (metric of a device) is stored together: values that are whole numbers as differences,
// which nearly all counters are, others as they lie in memory.
void encode_samples(std::span<const SampleRecord> samples, StreamPacker& packer, ByteSink& out) {
  std::vector<SampleRecord> ordered(samples.begin(), samples.end());
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& a, const auto& b) {
    return a.metric != b.metric ? a.metric < b.metric : a.device < b.device;
  });
  constexpr double kExact = 9007199254740992.0;  // 2^53
  const auto is_whole = [](double value) {
    return value > -kExact && value < kExact &&
           std::bit_cast<uint64_t>(static_cast<double>(static_cast<int64_t>(value))) ==
               std::bit_cast<uint64_t>(value);  // by bits: -0.0 is not whole
  };
  ByteSink columns;
  const SampleRecord* before = nullptr;
  int64_t value_before = 0;
  uint64_t time_before = 0;
  for (const SampleRecord& sample : ordered) {
    const bool same =
        before != nullptr && before->metric == sample.metric && before->device == sample.device;
    const bool whole = is_whole(sample.value);
    columns.put(static_cast<uint8_t>((same ? 1 : 0) | (whole ? 2 : 0)));
    if (!same) {
      columns.put_varint(sample.metric);
      columns.put_varint(sample.device);
      value_before = 0;
    }
    const auto time = static_cast<uint64_t>(sample.time_ns);
    columns.put_zigzag(static_cast<int64_t>(time - time_before));
    time_before = time;
    if (whole) {
      const auto value = static_cast<int64_t>(sample.value);
      columns.put_zigzag(value - value_before);
      value_before = value;
    } else {
      columns.put(sample.value);
    }
    before = &sample;
  }
  out.put_varint(samples.size());
  packer.pack(columns.bytes(), out);
}

bool decode_samples(ByteSpan payload, StreamUnpacker& unpacker,
                    std::vector<SampleRecord>& samples) {
  ByteReader in(payload);
  samples.assign(in.take_varint(kMaxBlockSamples), {});
  Bytes storage;
  ByteReader columns(unpacker.unpack(in, samples.size() * 32, storage));
  SampleRecord before;
  uint64_t value_before = 0, time_before = 0;
  for (SampleRecord& sample : samples) {
    const auto flags = columns.take<uint8_t>();
    if ((flags & 1) == 0) {
      before.metric = take_u32(columns);
      before.device = take_u32(columns);
      value_before = 0;
    }
    sample = before;
    time_before += static_cast<uint64_t>(columns.take_zigzag());
    sample.time_ns = static_cast<int64_t>(time_before);
    if ((flags & 2) != 0) {
      value_before += static_cast<uint64_t>(columns.take_zigzag());
      sample.value = static_cast<double>(static_cast<int64_t>(value_before));
    } else {
      sample.value = columns.take<double>();
    }
    if (columns.failed()) return false;
  }
  return used_up(columns) && used_up(in);
}

void encode_blob(std::string_view key, std::string_view bytes, StreamPacker& packer,
                 ByteSink& out) {
  out.put_text(key);
  packer.pack({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, out);
}

bool decode_blob(ByteSpan payload, StreamUnpacker& unpacker, std::string& key, std::string& bytes) {
  ByteReader in(payload);
  key = in.take_text();
  Bytes storage;
  const ByteSpan raw = unpacker.unpack(in, kMaxBlobBytes, storage);
  bytes.assign(reinterpret_cast<const char*>(raw.data()), raw.size());
  return used_up(in);
}

void encode_index(const IndexRecord& index, ByteSink& out) {
  out.put_varint(index.events_evicted);
  out.put_varint(index.kept_chunks);
  out.put_varint(index.segments.size());
  for (const IndexSegment& segment : index.segments) {
    out.put_varint(segment.number);
    out.put_varint(segment.chunks);
    out.put_varint(segment.events);
    out.put(segment.first_ns);
    out.put(segment.last_ns);
    out.put_varint(segment.extents.size());
    for (const auto& [offset, size] : segment.extents) {
      out.put_varint(offset);
      out.put_varint(size);
    }
  }
}

bool decode_index(ByteSpan payload, IndexRecord& index) {
  ByteReader in(payload);
  index.events_evicted = in.take_varint();
  index.kept_chunks = in.take_varint();
  index.segments.assign(take_count(in), {});
  for (IndexSegment& segment : index.segments) {
    segment.number = take_u32(in);
    segment.chunks = in.take_varint();
    segment.events = in.take_varint();
    segment.first_ns = in.take<int64_t>();
    segment.last_ns = in.take<int64_t>();
    segment.extents.resize(take_count(in));
    for (auto& [offset, size] : segment.extents) {
      offset = in.take_varint();
      size = in.take_varint();
    }
    if (in.failed()) return false;
  }
  return used_up(in);
}

}  // namespace deepprof
