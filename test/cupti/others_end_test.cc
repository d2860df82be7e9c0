#include "libdeepprof/cupti/others_end.h"

#include "test/cupti/mapped_torch.h"
#include "test/support/catch.h"

namespace deepprof::cupti {
namespace {

constexpr int64_t kTick_ns = 20'000'000;

// The attribute as CUPTI keeps it; -1: this CUPTI does not know it.
int per_thread = 1;

ResultCode get_attribute(uint32_t attribute, size_t* bytes, void* value) {
  if (attribute != kAttributePerThreadBuffers || per_thread < 0 || *bytes != 1) return 1;
  *static_cast<uint8_t*>(value) = static_cast<uint8_t>(per_thread);
  return kSuccess;
}
ResultCode set_attribute(uint32_t attribute, size_t* bytes, void* value) {
  if (attribute != kAttributePerThreadBuffers || per_thread < 0 || *bytes != 1) return 1;
  per_thread = *static_cast<uint8_t*>(value);
  return kSuccess;
}

struct Run {
  explicit Run(int value = 1) {
    per_thread = value;
    library.api.get_attribute = &get_attribute;
    library.api.set_attribute = &set_attribute;
  }
  bool seen(int64_t after_ns = kTick_ns) { return end.seen(now_ns += after_ns); }

  Library library;
  OthersEnd end{library};
  int64_t now_ns = 1'000'000'000;
};

}  // namespace

TEST_CASE("torch.profiler's mark at the end of a session is seen, and once") {
  const MappedTorch torch;
  Run run;
  CHECK_FALSE(run.seen());
  CHECK(run.end.would_show());
  CHECK_FALSE(run.seen());
  per_thread = 0;
  CHECK(run.seen());
  CHECK_FALSE(run.seen());
  CHECK_FALSE(run.end.would_show());
}

TEST_CASE("the end of the next session shows once the attribute is as it was") {
  const MappedTorch torch;
  Run run;
  for (int session = 0; session < 3; ++session) {
    CHECK_FALSE(run.seen());
    per_thread = 0;
    CHECK(run.seen());
    run.end.expect_another();
    CHECK(per_thread == 1);
    CHECK(run.end.would_show());
  }
}

TEST_CASE("a mark that was noticed late says nothing: the next session may be under way") {
  const MappedTorch torch;
  Run run;
  CHECK_FALSE(run.seen());
  per_thread = 0;
  CHECK_FALSE(run.seen(600'000'000));
  CHECK_FALSE(run.seen());
  CHECK_FALSE(run.end.would_show());
}

TEST_CASE("without libtorch the same change may be another tool's start") {
  Run run;
  CHECK_FALSE(run.seen());
  CHECK_FALSE(run.end.would_show());
  per_thread = 0;
  CHECK_FALSE(run.seen());
}

TEST_CASE("where buffers were never a thread's own the attribute is left alone and shows nothing") {
  const MappedTorch torch;
  for (const int value : {0, -1}) {
    Run run(value);
    CHECK_FALSE(run.seen());
    CHECK_FALSE(run.end.would_show());
    run.end.expect_another();
    CHECK(per_thread == value);
  }
  Run older;  // 12.2 has neither function to ask
  older.library.api.get_attribute = nullptr;
  older.library.api.set_attribute = nullptr;
  CHECK_FALSE(older.seen());
  older.end.expect_another();
  CHECK_FALSE(older.end.would_show());
}

}  // namespace deepprof::cupti
