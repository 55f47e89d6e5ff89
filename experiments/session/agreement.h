// Processes of a cluster: that all were told the same, and that all hear when one ends.
#pragma once

#include <exception>
#include <string>

#include "experiments/config/keys/fabric_command.h"
#include "rdma/seam/fabric.h"

namespace verbena::experiments {

/// Tells the peers which program this is, by its commit, and what it was told
/// (ConfigurationRecord::shared), and compares that with theirs. Waits for each of them, as
/// bring-up does. Throws ConfigurationError that names the first key which differs, with both nodes
/// and values, and all others that do. Does nothing where one process hosts all nodes.
void agree_with_peers(const FabricCommand& command, const std::string& commit,
                      rdma::Fabric& fabric);

/// Tells people of connections that were no peer's, if there were any.
void tell_strangers(rdma::Fabric& fabric);

/// For how long a process that ends by an error goes on to tell its peers why.
inline constexpr Nanoseconds kLinger = 5 * kSecond;

/// Returns what `body` does, which uses the fabric, in a process that agrees with its peers. An
/// error that leaves it is told to them. From then on they are met, see FabricCommand.
template <typename Body>
auto among_peers(const FabricCommand& command, const std::string& commit, rdma::Fabric& fabric,
                 const Body& body) {
  if (command.met_peers != nullptr) *command.met_peers = true;
  try {
    agree_with_peers(command, commit, fabric);
    auto result = body();
    tell_strangers(fabric);
    return result;
  } catch (const std::exception& error) {
    fabric.rendezvous().end(error.what(), kLinger);
    tell_strangers(fabric);
    throw;
  }
}

}  // namespace verbena::experiments
