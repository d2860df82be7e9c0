#include "test/fake/host/own_files.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdio>

namespace deepprof::fake {
namespace {

constexpr size_t kFiles = 12;
constexpr int kLooks = 20;

bool is_left_alone(int file, ino_t inode) {
  struct stat info {};
  return fstat(file, &info) == 0 && info.st_ino == inode && info.st_size == 0;
}

unsigned long close_all_and_open() {
  syscall(SYS_close_range, 3u, ~0u, 0u);
  std::array<int, kFiles> files{};
  std::array<ino_t, kFiles> inodes{};
  for (size_t i = 0; i < kFiles; ++i) {
    files[i] = memfd_create("job", MFD_CLOEXEC);
    struct stat info {};
    if (fstat(files[i], &info) == 0) inodes[i] = info.st_ino;
  }
  std::array<bool, kFiles> lost{};
  for (int look = 0; look < kLooks; ++look) {
    for (size_t i = 0; i < kFiles; ++i) lost[i] |= !is_left_alone(files[i], inodes[i]);
    std::this_thread::yield();
  }
  unsigned long count = 0;
  for (const bool one : lost) count += one;
  return count;
}

}  // namespace

OwnFiles::OwnFiles(const Options& options) {
  if (!options.close_all) return;
  thread_ = std::thread([this] {
    for (; !stop_; ++rounds_) lost_ += close_all_and_open();
  });
}

bool OwnFiles::finish() {
  if (!thread_.joinable()) return true;
  stop_ = true;
  thread_.join();
  if (lost_ > 0)
    fprintf(stderr, "fake_host: %lu files of %lu rounds were not left alone\n", lost_, rounds_);
  return lost_ == 0;
}

}  // namespace deepprof::fake
