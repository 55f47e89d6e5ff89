// Chains to several servers, one for each where they fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/chain/operation.h"
#include "rdma/prism/prism_batch.h"
#include "txn/prism/access/round_trip.h"

namespace verbena::rdma {
class Rpc;
}  // namespace verbena::rdma

namespace verbena::txn::prism {

/// The chains of operations that are posted together.
enum class Grouping : std::uint8_t {
  kByServer,  ///< one for each server, or several where a message does not hold them
  kAlone,     ///< one for each operation
};

/// The operations of a round trip, or of several one after the other, on the objects of several
/// servers. Used by one fiber.
class ServerChains {
 public:
  explicit ServerChains(rdma::Rpc& rpc, Grouping grouping = Grouping::kByServer)
      : rpc_(rpc), batch_(rpc), grouping_(grouping) {}

  /// Adds operations that follow each other, in one chain where there are any. Returns the number
  /// of the first; the numbers of the others follow it.
  rdma::OpId add(NodeId server, std::span<const rdma::Operation> operations);
  rdma::OpId add(NodeId server, const rdma::Operation& operation) {
    return add(server, std::span(&operation, 1));
  }

  /// Sends what was added since the last time, and suspends the fiber until it has been answered.
  /// Throws as PrismBatch does.
  void carry_out(const RoundTrip& round_trip = {});

  /// True if an operation was done; after carry_out(), until clear(). `behind`: its distance behind
  /// the one that add returned.
  bool done(rdma::OpId operation, std::uint32_t behind = 0) const {
    return batch_.outcome(at(operation, behind)) == rdma::ChainOutcome::kDone;
  }
  std::span<const std::byte> data(rdma::OpId operation, std::uint32_t behind = 0) const {
    return batch_.data(at(operation, behind));
  }
  std::uint64_t allocated(rdma::OpId operation, std::uint32_t behind) const {
    return batch_.allocated(at(operation, behind));
  }

  /// Returns the first bytes of the data that came back, which must be enough.
  template <typename T>
  T value(rdma::OpId operation, std::uint32_t behind = 0) const {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, data(operation, behind).first(sizeof value).data(), sizeof value);
    return value;
  }

  /// Returns the words that came back; those behind them are zero.
  rdma::OperandWords words(rdma::OpId operation, std::uint32_t behind) const;

  /// Servers of the chains since clear(), one entry per chain, in any order.
  std::span<const NodeId> asked() const { return asked_; }

  /// Forgets operations and results.
  void clear();

  rdma::Rpc& rpc() const { return rpc_; }

 private:
  struct Chain {
    NodeId server;
    rdma::ChainId id;
    std::size_t operations;
    std::size_t request_bytes;
    std::size_t reply_bytes;
  };

  static rdma::OpId at(rdma::OpId operation, std::uint32_t behind) {
    return static_cast<rdma::OpId>(static_cast<std::uint32_t>(operation) + behind);
  }
  rdma::OpId add_alone(NodeId server, std::span<const rdma::Operation> operations);
  Chain& chain_with_room(NodeId server, const Chain& more);

  rdma::Rpc& rpc_;
  rdma::PrismBatch batch_;
  const Grouping grouping_;
  std::vector<Chain> chains_;  // the last one of each server
  std::vector<NodeId> asked_;
};

}  // namespace verbena::txn::prism
