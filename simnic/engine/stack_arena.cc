// Stacks of cores, by mmap.
#include "simnic/engine/stack_arena.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace verbena::simnic {
namespace {

/// Beyond so many stacks guard pages would use up the mappings that a process may have.
constexpr std::size_t kMostGuardedStacks = 4096;

}  // namespace

StackArena::StackArena(std::size_t stacks, std::size_t bytes_each)
    : bytes_(stacks * bytes_each), bytes_each_(bytes_each) {
  void* address = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (address == MAP_FAILED) {
    throw std::runtime_error("cannot reserve " + std::to_string(bytes_) + " bytes for " +
                             std::to_string(stacks) + " stacks: " + std::strerror(errno));
  }
  base_ = static_cast<std::byte*>(address);
  if (stacks > kMostGuardedStacks) return;
  for (std::size_t i = 0; i < stacks; ++i)
    mprotect(base_ + i * bytes_each_, kGuardBytes, PROT_NONE);
}

StackArena::~StackArena() {
#if defined(__SANITIZE_ADDRESS__)
  // AddressSanitizer's notes of the stacks' frames must not outlive them: the addresses may be
  // mapped anew.
  __asan_unpoison_memory_region(base_, bytes_);
#endif
  munmap(base_, bytes_);
}

}  // namespace verbena::simnic
