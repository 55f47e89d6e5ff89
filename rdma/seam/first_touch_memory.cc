// Address space by mmap, pages filled by the loader when first touched.
#include "rdma/seam/first_touch_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "rdma/base/errors.h"

namespace verbena::rdma {

FirstTouchMemory::FirstTouchMemory(std::string name, std::uint64_t bytes, PageLoader loader)
    : name_(std::move(name)),
      bytes_((bytes + kPageBytes - 1) / kPageBytes * kPageBytes),
      loader_(std::move(loader)),
      filled_words_((bytes_ / kPageBytes + 63) / 64),
      complete_(!loader_) {
  if (bytes_ == 0) return;
  void* address = mmap(nullptr, mapped_bytes(), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) {
    throw ConfigurationError("memory '" + name_ + "': cannot reserve " + std::to_string(bytes_) +
                             " bytes: " + std::strerror(errno));
  }
  // Touching one record must not cost a huge page; a wish, hence no check.
  madvise(address, mapped_bytes(), MADV_NOHUGEPAGE);
  base_ = static_cast<std::byte*>(address);
  filled_ = reinterpret_cast<std::uint64_t*>(base_ + bytes_);
}

FirstTouchMemory::~FirstTouchMemory() {
  if (base_ != nullptr) munmap(base_, mapped_bytes());
}

void FirstTouchMemory::load(std::uint64_t page) {
  const std::uint64_t offset = page * kPageBytes;
  // Where the loader writes nothing, as in room for inserts, the first access would be a read: the
  // operating system would map its page of zeros, and replace it at the write that mostly follows.
  base_[offset] = std::byte{0};
  loader_(offset, std::span<std::byte>(base_ + offset, kPageBytes));
}

void FirstTouchMemory::fill(std::uint64_t page) {
  filled_[page / 64] |= std::uint64_t{1} << (page % 64);
  load(page);
}

std::uint64_t FirstTouchMemory::next_filled(std::uint64_t page) const {
  const std::uint64_t pages = bytes_ / kPageBytes;
  if (complete_ || page >= pages) return std::min(page, pages);
  std::uint64_t word = page / 64;
  std::uint64_t bits = filled_[word] >> (page % 64) << (page % 64);
  while (bits == 0 && ++word < filled_words_) bits = filled_[word];
  return bits == 0 ? pages : word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits));
}

void FirstTouchMemory::fill_all(unsigned threads) {
  if (complete_) return;
  // One word of the bitmap, 64 pages, is the unit of work, so that no two threads share a word.
  std::atomic<std::size_t> next{0};
  auto work = [&] {
    for (std::size_t word = next++; word < filled_words_; word = next++) {
      const std::uint64_t end = std::min<std::uint64_t>((word + 1) * 64, bytes_ / kPageBytes);
      for (std::uint64_t page = word * 64; page < end; ++page) {
        if ((filled_[word] >> (page % 64) & 1U) == 0) fill(page);
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (unsigned i = 1; i < threads; ++i) helpers.emplace_back(work);
    work();
  }
  complete_ = true;
}

}  // namespace verbena::rdma
