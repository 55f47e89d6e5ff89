// Chains of operations of one fiber, in flight together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rdma/base/types.h"
#include "rdma/chain/operation.h"
#include "rdma/device/doorbell.h"
#include "rdma/prism/chain_path.h"

namespace verbena::rdma {

class Rpc;

/// Number of a chain in its batch, in the order in which they were begun.
enum class ChainId : std::uint32_t {};
/// Number of an operation in its batch, in the order in which they were added.
enum class OpId : std::uint32_t {};

/// Bytes that an operation reads or writes: at `offset` of the region, or at the pointer stored
/// there.
struct Target {
  std::uint64_t offset = 0;
  bool indirect = false;
  bool bounded = false;  ///< the word behind the pointer limits their number
};

/// An enhanced compare-and-swap (PRISM paper, section 3.3). Operands come from the request where
/// their place says so.
struct CasArguments {
  CompareMode mode = CompareMode::kEqual;
  std::uint32_t bytes = 8;  ///< 8, 16 or 32
  std::uint64_t offset = 0;
  bool indirect = false;
  Place swap = {};
  Place compare = {};
  OperandWords swap_words{};
  OperandWords compare_words{};
  OperandWords swap_mask{};
  OperandWords compare_mask{};
};

/// A fiber begins chains, adds operations to them, posts them, waits, looks at the results, clears,
/// and uses the object again. Operations of one chain are carried out in order (PRISM paper,
/// section 3.4), several chains in any order. Bytes to be written are copied when they are added.
class PrismBatch {
 public:
  explicit PrismBatch(Rpc& rpc);

  /// Begins a chain of operations on one region of a server.
  ChainId chain(NodeId server, RegionId region);

  /// Adds an operation to a chain that is not posted yet. A bounded READ may return less than
  /// `length`.
  OpId read(ChainId chain, Target from, std::uint32_t length);
  OpId write(ChainId chain, Target to, std::span<const std::byte> data);
  /// Copies `length` bytes at the server.
  OpId write(ChainId chain, Target to, Place from, std::uint32_t length);
  OpId write_scratch(ChainId chain, std::uint32_t at, std::span<const std::byte> data);
  OpId allocate(ChainId chain, FreeListId list, std::span<const std::byte> data);
  OpId compare_and_swap(ChainId chain, const CasArguments& arguments);
  OpId fetch_and_add(ChainId chain, std::uint64_t offset, std::uint64_t add);

  /// Carries an operation, not the first one of its chain, out only if the one before it was
  /// successful.
  void conditional(OpId operation) { at(operation).conditional = true; }
  /// Leaves the result of an operation at the server, at `to`.
  void redirect(OpId operation, Place to) { at(operation).redirect = to; }

  /// Adds any other operation.
  OpId add(ChainId chain, const Operation& operation);

  /// Sends the chains begun since the last post(). Suspends the fiber while all slots to a server
  /// are taken, or its send queue is full. Throws PeerMissing for a dead server. Throws
  /// std::logic_error for a chain that is empty, has more than kMostOperations, begins with a
  /// conditional operation, or has a payload of another length than its operation says; also when
  /// the chain, its results or one copy would not fit a message or, by NIC, a buffer of the worker.
  void post(Doorbell doorbell = Doorbell::kBatched);

  /// Suspends the fiber until all chains have been answered. Throws PeerMissing, as RpcBatch does;
  /// then no outcome is known, and the batch can only be destroyed. Throws VerbsError, which names
  /// server, operation and outcome, when an operation was an error.
  void wait();

  /// Returns how an operation ended; after wait(), until clear().
  ChainOutcome outcome(OpId operation) const { return results_[index(operation)].outcome; }
  /// Number of bytes read or written.
  std::uint32_t length(OpId operation) const { return results_[index(operation)].length; }
  /// Returns the bytes that came back: what a READ has read, or an atomic's old value.
  std::span<const std::byte> data(OpId operation) const { return results_[index(operation)].data; }
  /// Returns the buffer that an ALLOCATE has taken, redirected or not. Throws std::logic_error when
  /// it was not successful.
  std::uint64_t allocated(OpId operation) const;

  /// Forgets chains and results; none may be in flight.
  void clear();

 private:
  struct Chain {
    NodeId server;
    RegionId region;
    std::uint32_t operations = 0;
  };
  struct Added {
    Operation operation;
    std::uint32_t chain;
    std::uint32_t payload_at;  // in payloads_
  };
  static std::uint32_t index(OpId operation) { return static_cast<std::uint32_t>(operation); }
  Operation& at(OpId operation);
  void check(std::uint32_t chain);
  void take_results(std::uint32_t chain);
  [[noreturn]] void refuse(const Added& added, ChainOutcome outcome) const;

  Rpc& rpc_;
  std::unique_ptr<ChainCarrier> carrier_;
  std::vector<Chain> chains_;
  std::vector<Added> added_;              // [OpId]
  std::vector<OperationResult> results_;  // [OpId]
  std::vector<std::byte> payloads_;
  std::uint32_t posted_ = 0;  // chains
  // Operations, and results, of the chain that is being sent or taken.
  std::vector<Operation*> of_chain_;
  std::vector<OperationResult> told_;
};

}  // namespace verbena::rdma
