// Holders of buffers: the clients that have yet to give buffers of a free list back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "rdma/base/spin_lock.h"
#include "rdma/base/types.h"

namespace verbena::rdma {

/// Knows which client holds each buffer that is neither free nor led to by a pointer. That is the
/// client whose chain took the buffer without making a pointer lead to it, or whose chain replaced
/// that pointer; until it has reported the buffer. So the buffers that a dead client will never
/// report are known exactly, whatever others have yet to report. Marking all buffers that pointers
/// lead to would find them only once all living clients have reported, for which the server would
/// have to ask. Costs a store under the list's lock where a buffer changes hands, and 2 B for each
/// buffer near one that has. Thread-safe.
class BufferHolders {
 public:
  /// Covers the buffers of a FreeList with the same arguments.
  BufferHolders(std::uint64_t first, std::uint32_t buffer_bytes, std::uint32_t buffers);

  /// Makes `client` the holder of the buffer at `offset`, which had none; does nothing if no buffer
  /// begins there.
  void take(std::uint64_t offset, NodeId client);

  enum class Report : std::uint8_t {
    kTaken,      ///< nobody has the buffer any more
    kCollected,  ///< the client's buffers were collected before
    kNotHeld,    ///< the client does not have it, or it is no buffer
  };
  /// Takes the report of `client` that it gives `buffer` back.
  Report give_back(std::uint64_t buffer, NodeId client);

  /// Returns the buffers that `client`, which is dead, holds; afterwards they have no holder. Its
  /// reports count for nothing from now on. Further calls find nothing.
  std::vector<std::uint64_t> collect(NodeId client);

 private:
  static constexpr std::size_t kInChunk = 1024;
  static constexpr std::uint16_t kNobody = 0xffff;
  using Chunk = std::array<std::uint16_t, kInChunk>;

  std::optional<std::uint64_t> index_of(std::uint64_t offset) const;
  std::uint16_t* holder_of(std::uint64_t index);
  void collect_from(std::size_t chunk, NodeId client, std::vector<std::uint64_t>& found);

  const std::uint64_t first_;
  const std::uint32_t buffer_bytes_;
  const std::uint32_t buffers_;
  SpinLock lock_;
  std::vector<std::unique_ptr<Chunk>> chunks_;  // null: nobody has any of these
  std::vector<NodeId> collected_;
};

}  // namespace verbena::rdma
