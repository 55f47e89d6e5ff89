// Free lists: the buffers that ALLOCATE takes, and their return.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "rdma/base/spin_lock.h"
#include "rdma/chain/operation_epochs.h"

namespace verbena::rdma {

/// A list of free buffers of one size, which lie one behind the other in a region. First in, first
/// out, as receive requests are. Knows of each buffer whether it is free, so that it refuses a
/// buffer given back twice and can be compared with what is referenced. Thread-safe.
class FreeList {
 public:
  /// Covers `buffers` buffers of `buffer_bytes`, from offset `first` of the region, in bytes. None
  /// is free yet. The operations that `epochs` counts may use the buffers; it must outlive the
  /// list.
  FreeList(std::uint64_t first, std::uint32_t buffer_bytes, std::uint32_t buffers,
           const Epochs& epochs);

  std::uint64_t first() const { return first_; }
  std::uint32_t buffer_bytes() const { return buffer_bytes_; }
  std::uint32_t buffers() const { return static_cast<std::uint32_t>(free_.size()); }

  /// Takes a free buffer and returns its offset; none when the list is empty.
  std::optional<std::uint64_t> pop();

  enum class Post : std::uint8_t {
    kPosted,
    kNotABuffer,   ///< no buffer begins there
    kAlreadyFree,  ///< it was given back before
  };

  /// Adds a buffer that has never been used: nothing refers to it, and no operation in flight knows
  /// it.
  Post post_new(std::uint64_t offset);

  /// Adds a buffer that was referred to until now. pop() takes it only when all operations now in
  /// flight have ended.
  Post post(std::uint64_t offset);

  /// Hands each buffer that is posted on to `next`, after those that are free already.
  void forward(std::function<void(std::uint64_t offset)> next);

  /// Buffers that the next pop() may take.
  std::uint32_t listed();
  /// Buffers that wait for operations in flight.
  std::uint32_t in_limbo();
  /// Number of buffers popped so far.
  std::uint64_t popped() const;
  /// Number of buffers posted so far.
  std::uint64_t posted() const;
  /// True when the buffer that begins at `offset` is listed or in limbo.
  bool is_free(std::uint64_t offset) const;

 private:
  std::optional<std::uint32_t> index_of(std::uint64_t offset) const;
  std::uint64_t offset_of(std::uint32_t index) const {
    return first_ + std::uint64_t{index} * buffer_bytes_;
  }
  Post add(std::uint64_t offset, bool in_use_before);
  void leave_limbo();

  const std::uint64_t first_;
  const std::uint32_t buffer_bytes_;
  const Epochs& epochs_;
  mutable SpinLock lock_;
  std::vector<bool> free_;  // [buffer]
  std::deque<std::uint32_t> listed_;
  std::deque<std::pair<std::uint32_t, Epochs::InFlight>> limbo_;
  std::uint64_t popped_ = 0;
  std::uint64_t posted_ = 0;
  std::function<void(std::uint64_t offset)> next_;  // empty: nobody takes them
};

}  // namespace verbena::rdma
