// Ways of a batch's chains to their servers, and of their results back.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "rdma/base/types.h"
#include "rdma/chain/operation_run.h"
#include "rdma/device/doorbell.h"

namespace verbena::rdma {

/// Chains of one PrismBatch on their way, with the promises of its post() and wait(). Used by the
/// batch's fiber.
class ChainCarrier {
 public:
  virtual ~ChainCarrier() = default;

  /// Sends a chain, whose operations it may change only in that their payloads lie elsewhere.
  /// Throws std::logic_error for one that is too long.
  virtual void send(NodeId server, RegionId region, std::span<Operation* const> operations,
                    Doorbell doorbell) = 0;
  /// Lets go what send() has kept, to go together.
  virtual void flush(Doorbell doorbell) = 0;
  /// Suspends the fiber until all chains have been answered.
  virtual void wait() = 0;
  /// Fills in the results of chain `chain`, in the order in which they were sent. Their data lies
  /// here, until clear().
  virtual void take(std::uint32_t chain, std::span<Operation* const> operations,
                    std::span<OperationResult> results) = 0;
  /// Forgets all chains; none may be in flight.
  virtual void clear() = 0;
};

/// Takes a worker's chains to its peers' NICs, instead of to their cores. Worker-local.
class ChainPath {
 public:
  virtual ~ChainPath() = default;

  /// Opens the way of a new batch.
  virtual std::unique_ptr<ChainCarrier> open() = 0;
};

}  // namespace verbena::rdma
