// Runs the importers' fuzz target without libFuzzer: over the files named on the command line, or
// over a fixed series of mutations of small traces in every format. The series is the same on every
// run and machine.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "test/fuzz/fuzz_target.h"

namespace {

using Bytes = std::string;
constexpr int kMutations = 6'000;

std::vector<Bytes> seeds_of_every_format() {
  return {
      R"json({"schemaVersion":1,"deviceProperties":[{"id":0,"name":"GPU","numSms":8}],"distributedInfo":{"rank":1,"world_size":2},
"cuda_driver_version":12090,"traceEvents":[
{"ph":"X","cat":"kernel","name":"gemm<\"q\", \u00fc>","pid":0,"tid":7,"ts":1365627867378.308,"dur":22.353,"args":{"device":0,"context":1,"stream":7,"correlation":16,"registers per thread":38,"shared memory":1024,"graph node id":9,"grid":[50,2,1],"block":[256,1,4]}},
{"ph":"X","cat":"gpu_memcpy","name":"Memcpy HtoD (Pageable -> Device)","pid":0,"tid":7,"ts":1365627867478.3,"dur":2,"args":{"device":0,"stream":7,"correlation":17,"bytes":4096}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":10,"tid":11,"ts":1365627867370.5,"dur":4,"args":{"correlation":16}},
{"ph":"X","cat":"cuda_sync","name":"Stream Sync","pid":0,"tid":7,"ts":21,"dur":7,"args":{"cuda_sync_kind":"Stream Sync","stream":7,"correlation":16}},
{"ph":"X","cat":"cpu_op","name":"aten::add","pid":10,"tid":11,"ts":1365627867360,"dur":40,"args":{"Input Dims":[[8,128],[]]}},
{"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":10,"tid":11,"ts":1365627867361,"args":{"Total Reserved":4096,"Total Allocated":2048,"Bytes":512,"Addr":140216842854592,"Device Id":0,"Device Type":1}},
{"ph":"i","s":"t","name":"[memory]","pid":10,"tid":11,"ts":1365627867362,"args":{"Bytes":-512,"Addr":140216842854592,"Device Id":0,"Device Type":1}},
{"ph":"M","name":"thread_name","pid":10,"tid":11,"ts":0,"args":{"name":"thread 11"}},
{"ph":"s","id":1,"pid":10,"tid":11,"ts":1,"cat":"ac2g","name":"ac2g"},{"ph":"X","cat":"overhead","name":"Buffer Flush","pid":-1,"tid":0,"ts":5,"dur":1}
],"traceName":"t.json","baseTimeNanoseconds":1751410836000000000})json",
      R"json([{"ph":"X","cat":"Kernel","name":"k","pid":0,"tid":"stream 20","ts":10,"dur":2,"args":{"device":0,"correlation":1}},null,
{"args":{"correlation":1},"dur":3,"ts":5,"tid":"55","pid":5,"name":"cudaLaunchKernel","cat":"Runtime","ph":"X"}])json",
      std::string("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\xae\x05\x00\x43\xbf\xa6\xa3\x02\x00"
                  "\x00\x00",
                  22),
      std::string("\x28\xb5\x2f\xfd\x04\x00\x11\x00\x00{}\x00\x00\x00\x00", 15),
      // An XPlane profile: a kernel and a copy on a stream, the launch of the one.
      std::string(
          "\012\377\001\022\015/device:GPU:0\032\202\001\010\007\022\011Stream "
          "#7\030\350\007\0426\010\001"
          "\020\300\226\261\002\030\300\250\245\004\042\004\010\001\030*\042\042\010\002*\036regs:"
          "8 grid:2,"
          "1,1 "
          "block:32,1,1\0428\010\002\020\300\303\223\007\030\240\3676\042+\010\003*'kind_src:"
          "pinned kin"
          "d_dst:device "
          "size:64\042\016\010\001\022\012\010\001\022\006fusion\042\021\010\002\022\015\010"
          "\002\022\011MemcpyH2D*\026\010\001\022\022\010\001\022\016correlation_id*"
          "\026\010\002\022\022"
          "\010\002\022\016kernel_details*\026\010\003\022\022\010\003\022\016memcpy_"
          "details\012U\022\011/h"
          "ost:CPU\032\030\010\011\022\001t\030\204\007\042\016\010\001\020\350\007\030\210'"
          "\042\004\010"
          "\001\030*\042\026\010\001\022\022\010\001\022\016cuLaunchKernel*"
          "\026\010\001\022\022\010\001\022"
          "\016correlation_id\042\004host",
          351),
      R"csv(==7== Profiling result:
"Start","Duration","Grid X","Block X","Static SMem","Size","SrcMemType","DstMemType","Device","Context","Stream","Name"
ms,us,,,KB,MB,,,,,,
0.001,1.536,,,,1.5,"Pinned","Device","GPU (0)","1","22","[CUDA memcpy HtoD]"
0.004,2.0,108,128,1.0,,,,"GPU (0)","1","7","gemm(int) [123]"
0.003,0.5,,,,,,,,,,"cudaLaunchKernel [123]"
)csv",
  };
}

class Mutator {
 public:
  Bytes mutate(const std::vector<Bytes>& seeds) {
    Bytes text = seeds[below(seeds.size())];
    for (size_t changes = 1 + below(4); changes > 0; --changes) change(text, seeds);
    return text;
  }

 private:
  size_t below(size_t n) { return n == 0 ? 0 : random_() % n; }

  void change(Bytes& text, const std::vector<Bytes>& seeds) {
    const size_t at = below(text.size() + 1),
                 length = below(std::min<size_t>(text.size() - at, 40) + 1);
    switch (below(8)) {
      case 0: text.resize(at); break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(at, text.substr(at, length)); break;
      case 3: text.insert(at, Bytes(below(200), static_cast<char>(random_()))); break;
      case 4: {
        const Bytes& other = seeds[below(seeds.size())];
        text.insert(at, other.substr(below(other.size()), below(200)));
        break;
      }
      case 5: {
        constexpr const char* kWords[] = {"\"",   "\\",       "{",     "}",
                                          "[",    "]",        ",",     ":",
                                          "null", "-1",       "1e999", "9223372036854775808",
                                          "\xff", "\x1f\x8b", "\n",    "0"};
        text.insert(at, kWords[below(std::size(kWords))]);
        break;
      }
      default:
        if (at < text.size()) text[at] = static_cast<char>(random_());
    }
  }

  std::mt19937_64 random_{20261129};
};

Bytes read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

void run(const Bytes& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) run(read_file(argv[i]));
  if (argc > 1) {
    std::printf("%d files\n", argc - 1);
    return 0;
  }
  const std::vector<Bytes> seeds = seeds_of_every_format();
  for (const Bytes& input : seeds) run(input);
  Mutator mutator;
  for (int i = 0; i < kMutations; ++i) run(mutator.mutate(seeds));
  std::printf("%d mutations\n", kMutations);
}
