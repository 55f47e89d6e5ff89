// The way of one-sided requests that their servers' cores carry out.
#pragma once

#include <memory>
#include <span>

#include "rdma/device/doorbell.h"
#include "rdma/one_sided/one_sided_request.h"

namespace verbena::rdma {

/// Requests of one RequestBatch on their way, with the promises of its post() and wait(). Of the
/// batch's fiber.
class CoreRequests {
 public:
  virtual ~CoreRequests() = default;

  /// Sends `chains`, which lead through `requests`; sources are free when it returns. What it
  /// throws leaves nothing behind but what wait() waits for.
  virtual void post(std::span<const OneSidedRequest> requests,
                    std::span<const OneSidedChain> chains, Doorbell doorbell) = 0;
  /// The same, and nobody waits.
  virtual void post_passive(std::span<const OneSidedRequest> requests,
                            std::span<const OneSidedChain> chains, Doorbell doorbell) = 0;
  /// Suspends the fiber until all that was posted is done and what was read is there.
  virtual void wait() = 0;
};

/// Takes the one-sided requests of a worker to its peers' cores instead of to its NIC.
/// Worker-local; a call serves all requests that are posted together.
class CorePath {
 public:
  virtual ~CorePath() = default;

  /// For a batch that is made.
  virtual std::unique_ptr<CoreRequests> open() = 0;

  /// Once nothing is in flight: throws PeerMissing when something that nobody waited for was not
  /// answered, by a peer that is not dead.
  virtual void check_passive() = 0;
};

}  // namespace verbena::rdma
