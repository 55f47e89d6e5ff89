// Reads of objects whose pointers the client follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/chain/operation.h"
#include "rdma/worker.h"
#include "txn/prism/access/round_trip.h"
#include "txn/prism/access/server_chains.h"

namespace verbena::txn::prism {

/// The words of a slot that lead to an object.
struct SlotShape {
  std::uint32_t bytes = 8;
  std::size_t pointer_word = 0;
  std::uint64_t pointer_bits = ~std::uint64_t{0};  ///< of that word
  std::optional<std::size_t> bound_word = {};      ///< word with the length of the object
  /// Words that never come again once one of them has changed.
  rdma::OperandWords same_bits = {};
};

/// READs slots in one round trip and the objects that they lead to in another. Meanwhile an object
/// may have been replaced and its buffer used again. So each slot is READ again, behind its object
/// and in the same chain: if it has not changed, it has led to the object all the time, and objects
/// do not change; else the object that it leads to by then is READ. No checksum would tell an
/// object that was installed from one that came too late, of the same key and version and in the
/// same buffer. Used by one fiber.
class CheckedReads {
 public:
  /// `chains` has nothing else until clear(); both must outlive this.
  CheckedReads(rdma::Worker& worker, ServerChains& chains, const SlotShape& shape)
      : worker_(worker), chains_(chains), shape_(shape) {}

  /// Adds a read of at most `bytes` of the object behind the slot at offset `slot`. Returns its
  /// number, from 0.
  std::size_t add(NodeId server, std::uint64_t slot, std::uint32_t bytes);

  /// Carries them out. Suspends the fiber; throws as PrismBatch does.
  void carry_out(const RoundTrip& round_trip);

  /// Return the words of a slot, and its object at the same time; no bytes where it leads to none.
  /// After carry_out(), until clear().
  const rdma::OperandWords& slot(std::size_t read) const { return added_[read].words; }
  std::span<const std::byte> object(std::size_t read) const;

  /// Number of objects that were read again.
  std::uint64_t again() const { return again_; }

  void clear();

 private:
  struct Added {
    NodeId server;
    std::uint64_t slot;
    std::uint32_t bytes;
    rdma::OpId last;  // READ of the slot, or of the object before it
    rdma::OperandWords words = {};
    bool done = false;
  };

  std::uint64_t pointer(const Added& read) const {
    return read.words[shape_.pointer_word] & shape_.pointer_bits;
  }
  bool follow(Added& read);
  void take(Added& read);

  rdma::Worker& worker_;
  ServerChains& chains_;
  const SlotShape shape_;
  std::vector<Added> added_;
  std::uint64_t again_ = 0;
};

/// Bytes of the longest message that a checked read of so many bytes needs.
std::size_t checked_read_bytes(const SlotShape& shape, std::uint32_t bytes);

}  // namespace verbena::txn::prism
