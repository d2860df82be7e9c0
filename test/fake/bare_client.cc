// The least that a CUPTI client can be: it enables every kind we know, gives buffers from a fixed
// pool and takes them back unread. The measure of what the library costs beyond it, and the judge
// of the stand-ins. DEEPPROF_CUPTI names the libcupti. BARE_CLIENT_DUMP=FOLDER keeps each returned
// buffer's valid bytes as a file.
#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;
constexpr int kBuffers = 64;
constexpr uint32_t kKinds[] = {10, 1, 22, 2, 38, 17, 5, 4};

alignas(64) uint8_t buffers[kBuffers][kBufferBytes];
std::atomic<bool> lent[kBuffers];
int (*flush_all)(uint32_t);

void request(uint8_t** buffer, size_t* size, size_t* max_records) {
  static uint8_t discarded[kBufferBytes];  // a refusal crashes an old CUPTI
  *buffer = discarded;
  *size = kBufferBytes;
  *max_records = 0;
  for (int i = 0; i < kBuffers; ++i) {
    if (lent[i].exchange(true)) continue;
    *buffer = buffers[i];
    return;
  }
}

void keep(const uint8_t* buffer, size_t valid_bytes) {
  static const char* const folder = getenv("BARE_CLIENT_DUMP");
  static std::atomic<int> number{0};
  if (!folder) return;
  FILE* file = fopen((folder + ("/" + std::to_string(++number))).c_str(), "wb");
  if (!file) return;
  fwrite(buffer, 1, valid_bytes, file);
  fclose(file);
}

void complete(void*, uint32_t, uint8_t* buffer, size_t, size_t valid_bytes) {
  keep(buffer, valid_bytes);
  const auto at = static_cast<size_t>(buffer - buffers[0]) / kBufferBytes;
  if (at < kBuffers) lent[at] = false;
}

template <typename Function>
bool find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] int InitializeInjection() {
  const char* path = getenv("DEEPPROF_CUPTI");
  void* cupti = path ? dlopen(path, RTLD_NOW) : nullptr;
  if (!cupti) return 0;
  memset(buffers, 0, sizeof buffers);  // touched now, not in the job's launches
  int (*register_callbacks)(decltype(&request), decltype(&complete)) = nullptr;
  int (*enable)(uint32_t) = nullptr;
  if (!find(cupti, "cuptiActivityRegisterCallbacks", register_callbacks)) return 0;
  if (!find(cupti, "cuptiActivityEnable", enable)) return 0;
  if (!find(cupti, "cuptiActivityFlushAll", flush_all)) return 0;
  register_callbacks(request, complete);
  for (const uint32_t kind : kKinds) enable(kind);
  // Too late where the driver registers its own handler after this one: FAKE_CUDA_ATEXIT=before
  // helps.
  atexit([] { flush_all(1); });
  return 1;
}
