// Stacks for fibers, many to one mapping.
#include "rdma/base/stack_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace verbena {
namespace {

constexpr std::size_t kCanaryBytes = 256;

[[noreturn]] void fail() {
  throw std::system_error(errno, std::generic_category(), "memory for stacks of fibers");
}

}  // namespace

StackPool::~StackPool() {
  for (const Slab& slab : slabs_) {
#if defined(__SANITIZE_ADDRESS__)
    // AddressSanitizer's notes of the stacks' frames must not outlive them: the addresses may be
    // mapped anew.
    __asan_unpoison_memory_region(slab.address, slab.bytes);
#endif
    munmap(slab.address, slab.bytes);
  }
}

void StackPool::grow() {
  const std::size_t bytes = kGuardBytes + stacks_per_slab_ * stack_bytes_;
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) fail();
  slabs_.push_back({address, bytes});
  if (mprotect(address, kGuardBytes, PROT_NONE) != 0) fail();
  std::byte* bottom = static_cast<std::byte*>(address) + kGuardBytes;
  for (std::size_t i = stacks_per_slab_; i > 0; --i) {
    free_.push_back({bottom + (i - 1) * stack_bytes_, stack_bytes_});
  }
}

Stack StackPool::take() {
  if (free_.empty()) grow();
  const Stack stack = free_.back();
  free_.pop_back();
  return stack;
}

void StackPool::give_back(Stack stack) {
  const bool intact = std::all_of(stack.bottom, stack.bottom + kCanaryBytes,
                                  [](std::byte byte) { return byte == std::byte{0}; });
  if (!intact) {
    std::fprintf(stderr, "verbena: a fiber used more than its %zu bytes of stack\n", stack.bytes);
    std::abort();
  }
  free_.push_back(stack);
}

}  // namespace verbena
