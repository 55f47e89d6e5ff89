// Address space by mmap.
#include "rdma/seam/page_arena.h"

#include <sys/mman.h>

#include <memory>

namespace verbena::rdma {
namespace {

// More than a simulation could fill.
constexpr std::size_t kReserved = std::size_t{1} << 38;
// Enough where address space is scarce.
constexpr std::size_t kLeastReserved = std::size_t{1} << 34;

std::size_t round_up(std::size_t bytes) {
  return (bytes + PageArena::kGrain - 1) / PageArena::kGrain * PageArena::kGrain;
}

}  // namespace

std::unique_ptr<PageArena> PageArena::reserve(std::uint64_t kept_bytes) {
  for (std::size_t bytes = kReserved; bytes >= kLeastReserved; bytes /= 2) {
    void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (address == MAP_FAILED) continue;
    // A wish, hence no check.
    madvise(address, bytes, MADV_HUGEPAGE);
    return std::make_unique<PageArena>(static_cast<std::byte*>(address), bytes, kept_bytes);
  }
  return nullptr;
}

PageArena::~PageArena() { munmap(base_, reserved_); }

std::byte* PageArena::take(std::size_t bytes) {
  bytes = round_up(bytes);
  const std::lock_guard lock(mutex_);
  std::vector<std::byte*>& free = free_[bytes];
  if (!free.empty()) {
    std::byte* piece = free.back();
    free.pop_back();
    bytes_in_use_ += bytes;
    return piece;
  }
  if (bytes > reserved_ - used_) throw std::bad_alloc();
  used_ += bytes;
  bytes_in_use_ += bytes;
  return base_ + used_ - bytes;
}

void PageArena::give_back(std::byte* piece, std::size_t bytes) {
  bytes = round_up(bytes);
  const std::lock_guard lock(mutex_);
  bytes_in_use_ -= bytes;
  free_[bytes].push_back(piece);
}

}  // namespace verbena::rdma
