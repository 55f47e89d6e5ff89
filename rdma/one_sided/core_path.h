// Path of one-sided requests that their servers' cores carry out.
#pragma once

#include <memory>
#include <span>

#include "rdma/device/doorbell.h"
#include "rdma/one_sided/one_sided_request.h"

namespace verbena::rdma {

/// Requests of one RequestBatch on their way, with the promises of its post() and wait(). Used by
/// the batch's fiber.
class CoreRequests {
 public:
  virtual ~CoreRequests() = default;

  /// Sends `chains`, which link elements of `requests`; sources are free when it returns. After an
  /// exception, only requests that wait() waits for are left.
  virtual void post(std::span<const OneSidedRequest> requests,
                    std::span<const OneSidedChain> chains, Doorbell doorbell) = 0;
  /// Sends likewise, but nobody waits.
  virtual void post_passive(std::span<const OneSidedRequest> requests,
                            std::span<const OneSidedChain> chains, Doorbell doorbell) = 0;
  /// Suspends the fiber until everything posted is done and all values read have arrived.
  virtual void wait() = 0;
};

/// Takes the one-sided requests of a worker to its peers' cores instead of to its NIC.
/// Worker-local; a call serves all requests that are posted together.
class CorePath {
 public:
  virtual ~CorePath() = default;

  /// Opens the requests of a new batch.
  virtual std::unique_ptr<CoreRequests> open() = 0;

  /// Throws PeerMissing when a peer that is not dead has not answered a passive request. Called
  /// once nothing is in flight.
  virtual void check_passive() = 0;
};

}  // namespace verbena::rdma
