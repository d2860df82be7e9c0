#include "test/fake/cupti/account.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "test/fake/cupti/settings.h"

namespace deepprof::fake {
namespace {

std::string path_of_process() {
  std::string path = settings().account;
  if (const size_t at = path.find("%p"); at != std::string::npos) {
    path.replace(at, 2, std::to_string(getpid()));
  }
  return path;
}

void* map_file(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return MAP_FAILED;
  void* memory = MAP_FAILED;
  if (ftruncate(fd, sizeof(Account)) == 0) {
    memory = mmap(nullptr, sizeof(Account), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  close(fd);
  return memory;
}

Account* make_account() {
  const std::string path = path_of_process();
  void* memory = path.empty() ? MAP_FAILED : map_file(path);
  auto* account = memory == MAP_FAILED ? new Account{} : static_cast<Account*>(memory);
  account->magic = Account::kMagic;
  return account;
}

}  // namespace

Account& account() {
  static Account* const it = make_account();
  return *it;
}

}  // namespace deepprof::fake
