// Books of a free list's buffers when nothing runs any more.
#pragma once

#include <cstdint>
#include <vector>

#include "rdma/chain/free_list.h"
#include "txn/prism/buffers/buffer_list.h"
#include "txn/state_at_rest.h"

namespace verbena::txn::prism {

/// Counts the references to each buffer: each must be referenced once, or free, or never used.
/// Loaded buffers begin with one reference.
class BufferBooks {
 public:
  /// `list` must outlive this.
  explicit BufferBooks(const BufferList& list);

  /// Adds or takes a reference to the buffer at `offset`. Other offsets are ignored.
  void add(std::uint64_t offset);
  void take(std::uint64_t offset);

  /// Reports errors. Buffers from number `unused_from` on were never used; up to `most_lost` may be
  /// lost with clients that have died.
  void check(const rdma::FreeList& free, std::uint32_t unused_from, std::uint64_t most_lost,
             SelfCheck& check) const;

 private:
  std::uint8_t* of(std::uint64_t offset);

  const BufferList& list_;
  std::vector<std::uint8_t> references_;
};

/// Adds an error, unless there are many already.
void report(SelfCheck& check, std::string what);

}  // namespace verbena::txn::prism
