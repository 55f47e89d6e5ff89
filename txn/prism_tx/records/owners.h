// Owners of timestamps: the clients that have taken them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "rdma/endpoint.h"
#include "txn/prism/clients.h"
#include "txn/prism_tx/records/timestamp.h"

namespace verbena::txn::prism_tx {

/// Tells which client has taken a timestamp, and which clients this node knows to be dead.
/// Thread-safe.
class Owners {
 public:
  /// Both arguments must outlive this.
  Owners(const rdma::Endpoint& endpoint, const prism::Clients& clients)
      : endpoint_(endpoint), clients_(clients) {}

  /// Returns the client of a timestamp if it is known to be dead, else none. Once its chains have
  /// ended (prism::have_ended), what it has prepared and not decided will never be.
  std::optional<NodeId> dead_client(Timestamp timestamp) const;

  /// True when any client is known to be dead.
  bool any_dead() const { return endpoint_.health().dead_epoch() > 0; }

  /// Returns the client of a timestamp in words.
  std::string name_of(Timestamp timestamp) const;

 private:
  /// Returns none for the timestamp of loaded records.
  std::optional<prism::ClientPlace> client_of(Timestamp timestamp) const;

  const rdma::Endpoint& endpoint_;
  const prism::Clients& clients_;
};

}  // namespace verbena::txn::prism_tx
