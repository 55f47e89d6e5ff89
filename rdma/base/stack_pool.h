// Pool of stacks for fibers, many to one mapping.
#pragma once

#include <cstddef>
#include <vector>

#include "rdma/base/stack.h"

namespace verbena {

/// Reuses stacks, and maps them in slabs with one guard page below each slab: a guard page per
/// stack would need more mappings than a kernel grants to a process that hosts hundreds of nodes.
/// Instead, the lowest bytes of each stack must stay zero as mapped, which costs no memory;
/// give_back aborts the process when they are not.
class StackPool {
 public:
  static constexpr std::size_t kGuardBytes = 4096;

  /// `stack_bytes` is a multiple of kGuardBytes.
  StackPool(std::size_t stack_bytes, std::size_t stacks_per_slab)
      : stack_bytes_(stack_bytes), stacks_per_slab_(stacks_per_slab) {}
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  Stack take();
  void give_back(Stack stack);

 private:
  struct Slab {
    void* address;
    std::size_t bytes;
  };
  void grow();

  std::size_t stack_bytes_;
  std::size_t stacks_per_slab_;
  std::vector<Slab> slabs_;
  std::vector<Stack> free_;
};

}  // namespace verbena
