// The clients that have taken timestamps.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rdma/endpoint.h"
#include "txn/prism/clients.h"
#include "txn/prism_tx/records/timestamp.h"

namespace verbena::txn::prism_tx {

/// Tells of timestamps whose they are, and whether these clients have died, as one node knows it.
/// Thread-safe.
class Owners {
 public:
  /// Both must outlive this.
  Owners(const rdma::Endpoint& endpoint, const prism::Clients& clients)
      : endpoint_(endpoint), clients_(clients) {}

  /// The client of a timestamp if it is known to be dead: what it has prepared and not decided will
  /// never be, once its chains have ended (prism::have_ended). None: it is not known to be.
  std::optional<NodeId> dead_client(Timestamp timestamp) const;

  /// True when any client is known to be dead.
  bool any_dead() const { return endpoint_.health().dead_epoch() > 0; }

  /// The client of a timestamp in words.
  std::string name_of(Timestamp timestamp) const;

 private:
  /// None: it is what was loaded.
  std::optional<prism::ClientPlace> client_of(Timestamp timestamp) const;

  const rdma::Endpoint& endpoint_;
  const prism::Clients& clients_;
};

}  // namespace verbena::txn::prism_tx
