// show_account FILE: the account of a replay CUPTI (cupti/account.h) as JSON, for scripts.
#include <cinttypes>
#include <cstdio>
#include <memory>

#include "test/fake/cupti/account.h"

int main(int argc, char** argv) {
  using deepprof::fake::Account;
  FILE* file = argc == 2 ? fopen(argv[1], "rb") : nullptr;
  auto account = std::make_unique<Account>();
  if (!file || fread(static_cast<void*>(account.get()), sizeof(Account), 1, file) != 1 ||
      account->magic != Account::kMagic) {
    fprintf(stderr, "usage: show_account FILE, which a replay CUPTI wrote (FAKE_CUPTI_ACCOUNT)\n");
    return 1;
  }
  fclose(file);
  const auto kinds = [](const char* name, const Account::Count* counts) {
    printf("\"%s\": {", name);
    const char* comma = "";
    for (uint32_t kind = 0; kind < deepprof::fake::kActivityKinds; ++kind) {
      if (counts[kind] == 0) continue;
      printf("%s\"%u\": %" PRIu64, comma, kind, counts[kind].load());
      comma = ", ";
    }
    printf("},\n ");
  };
  const auto one = [](const char* name, const Account::Count& count, const char* end = ",\n ") {
    printf("\"%s\": %" PRIu64 "%s", name, count.load(), end);
  };
  printf("{");
  kinds("submitted", account->submitted);
  kinds("written", account->written);
  kinds("delivered", account->delivered);
  one("dropped", account->dropped);
  one("buffers_requested", account->buffers_requested);
  one("buffers_refused", account->buffers_refused);
  one("buffers_delivered", account->buffers_delivered);
  one("bytes_delivered", account->bytes_delivered);
  one("bad_times", account->bad_times);
  one("unknown", account->unknown);
  one("alien", account->alien);
  one("truncated", account->truncated);
  one("dirty_buffers", account->dirty_buffers);
  one("flushes", account->flushes);
  one("forced_flushes", account->forced_flushes);
  one("calls_after_fork", account->calls_after_fork);
  one("calls_during_init", account->calls_during_init);
  one("api_misuse", account->api_misuse);
  // how many took less than 1, 2, 4, ... microseconds and no less than half of that
  printf("\"request_us\": [");
  for (size_t i = 0; i < std::size(account->request_us); ++i) {
    printf("%s%" PRIu64, i == 0 ? "" : ", ", account->request_us[i].load());
  }
  printf("],\n ");
  one("longest_request_ns", account->longest_request_ns, "}\n");
  return 0;
}
