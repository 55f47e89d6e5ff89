// Reserves a range for the heap and advises the kernel of its use.
#include "experiments/session/heap.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace verbena::experiments {
namespace {

/// Address space; memory follows use. A heap that outgrows it continues on small pages.
constexpr std::size_t kReservedBytes = std::size_t{1} << 30;
constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

std::byte* heap_end() { return static_cast<std::byte*>(sbrk(0)); }

/// True if the heap's range can grow by `bytes`.
bool can_grow(std::size_t bytes) {
  if (sbrk(static_cast<std::intptr_t>(bytes)) == reinterpret_cast<void*>(-1)) return false;
  sbrk(-static_cast<std::intptr_t>(bytes));
  return true;
}

/// Allocates until the allocator has asked for more memory, or evidently takes it from elsewhere.
void use_up_heap() {
  constexpr std::size_t kPieceBytes = std::size_t{64} << 10;
  constexpr int kMostPieces = 64;
  const std::byte* end = heap_end();
  std::vector<std::unique_ptr<std::byte[]>> pieces;
  for (int i = 0; i < kMostPieces && heap_end() == end; ++i) {
    pieces.push_back(std::make_unique_for_overwrite<std::byte[]>(kPieceBytes));
  }
}

}  // namespace

void put_heap_on_huge_pages() {
  constexpr int kUsualPad = 128 << 10;
  constexpr int kLargestOnHeap = 32 << 20;
  if (!can_grow(kReservedBytes)) return;
  const std::byte* before = heap_end();
  mallopt(M_TRIM_THRESHOLD, -1);  // or what is reserved would be returned at once
  mallopt(M_MMAP_THRESHOLD, kLargestOnHeap);
  mallopt(M_TOP_PAD, kReservedBytes);
  use_up_heap();
  mallopt(M_TOP_PAD, kUsualPad);
  const auto begin = (reinterpret_cast<std::uintptr_t>(before) + kHugePageBytes - 1) /
                     kHugePageBytes * kHugePageBytes;
  const auto end = reinterpret_cast<std::uintptr_t>(heap_end()) / kHugePageBytes * kHugePageBytes;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace verbena::experiments
