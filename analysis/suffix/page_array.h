// PageArray<T>: a large array of plain values whose contents start undefined. Used for suffix
// arrays and their workspaces, where zeroing, or faulting in 4 KiB pages one by one, costs as much
// as a tenth of the sort: big arrays are mapped directly and the kernel is asked for huge pages.
// Throws std::bad_alloc.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace deepprof {

template <typename T>
class PageArray {
  static_assert(std::is_trivially_default_constructible_v<T> && std::is_trivially_copyable_v<T>);

 public:
  PageArray() = default;
  explicit PageArray(size_t size) : size_(size) {
    if (size == 0) return;
    if (size > SIZE_MAX / 2 / sizeof(T)) throw std::bad_alloc();
    data_ = static_cast<T*>(bytes() < kHugePage_bytes ? ::operator new(bytes()) : map(bytes()));
  }
  ~PageArray() {
    if (bytes() < kHugePage_bytes) {
      ::operator delete(data_);
    } else {
      munmap(data_, bytes());
    }
  }
  PageArray(PageArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  PageArray& operator=(PageArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  std::span<T> span() { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }

 private:
  static constexpr size_t kHugePage_bytes = size_t{2} << 20;
  size_t bytes() const { return size_ * sizeof(T); }

  static void* map(size_t bytes) {
    void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    madvise(pages, bytes, MADV_HUGEPAGE);  // advice: may be refused
    return pages;
  }

  T* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace deepprof
