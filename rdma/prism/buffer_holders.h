// The clients that have yet to give buffers of a free list back.
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

/// Knows of each buffer that is neither free nor led to by a pointer which client has it: the one
/// whose chain took it, and did not make it what a pointer leads to; or the one whose chain
/// replaced that pointer; each until it has reported the buffer. So what a dead
/// client will never report is known exactly, whatever others have not reported yet: a mark of all
/// pointers tells these apart only once all who are alive have reported, for which the server would
/// have to ask. Costs a store under the list's lock where a buffer changes hands, and 2 B for each
/// buffer near one that has. Thread-safe.
class BufferHolders {
 public:
  /// Covers the buffers of a FreeList with the same arguments.
  BufferHolders(std::uint64_t first, std::uint32_t buffer_bytes, std::uint32_t buffers);

  /// `client` has what lies at `offset` from now on, if a buffer begins there, and nobody had it.
  void take(std::uint64_t offset, NodeId client);

  enum class Report : std::uint8_t {
    kTaken,      ///< nobody has the buffer any more
    kCollected,  ///< what the client had was collected before
    kNotHeld,    ///< the client does not have it, or it is no buffer
  };
  /// `client` reports `buffer`.
  Report give_back(std::uint64_t buffer, NodeId client);

  /// The buffers that `client`, which is dead, has: nobody has them any more. Its reports count for
  /// nothing from now on. May be called again, and finds none then.
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
