// A rendezvous over TCP, for nodes in different processes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/base/time.h"
#include "rdma/base/types.h"
#include "rdma/seam/rendezvous.h"

namespace verbena::rdma {

/// A peer that has told that it ended. `what()` has its name and the reason.
class PeerEnded : public PeerMissing {
 public:
  using PeerMissing::PeerMissing;
};

/// A peer that did not publish a value in time.
class PeerLate : public PeerMissing {
 public:
  using PeerMissing::PeerMissing;
};

/// Makes a rendezvous in which each hosted node listens at its address and serves what it has
/// published; others ask again until it has. fetch() throws PeerLate when the time is over,
/// PeerEnded when that peer has ended, and, until all have been there once, when any has.
/// `addresses` are "host:port" or "[v6]:port", one per node. Throws ConfigurationError when one is
/// missing, malformed or cannot be listened at, also because another process is that node.
std::unique_ptr<Rendezvous> make_tcp_rendezvous(std::uint32_t nodes,
                                                const std::vector<NodeId>& hosted,
                                                const std::vector<std::string>& addresses);

/// Does Rendezvous::end() for a process that has no rendezvous yet, and is node `self` of
/// `addresses`. Does nothing where another process is that node, or listens there and says nothing.
/// Throws ConfigurationError when an address is malformed.
void tell_end(NodeId self, const std::vector<std::string>& addresses, const std::string& why,
              Nanoseconds linger);

}  // namespace verbena::rdma
