// Agreement of a cluster's processes: equal configuration, and news of an end by an error.
#pragma once

#include <exception>
#include <string>

#include "experiments/config/keys/fabric_command.h"
#include "rdma/seam/fabric.h"

namespace verbena::experiments {

/// Exchanges the program's commit and the configuration (ConfigurationRecord::shared) with all
/// peers, and compares them. Waits for each peer as bring-up does. Throws ConfigurationError that
/// names the first differing key, with both nodes and values, and all other differing keys. Does
/// nothing where one process hosts all nodes.
void agree_with_peers(const FabricCommand& command, const std::string& commit,
                      rdma::Fabric& fabric);

/// Warns of connections that did not come from peers, if there were any.
void tell_strangers(rdma::Fabric& fabric);

/// Time for which a process that ends by an error keeps telling its peers why.
inline constexpr Nanoseconds kLinger = 5 * kSecond;

/// The same where it has waited in vain for a peer, so that all had time to come up.
inline constexpr Nanoseconds kShortLinger = kSecond;

/// Tells the peers that `error` ends this process. Warns of strangers.
void tell_error(const std::exception& error, rdma::Fabric& fabric);

/// Agrees with the peers, then runs `body`, which uses the fabric, and returns its result. Tells
/// the peers of any error. Sets FabricCommand::met_peers first.
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
    tell_error(error, fabric);
    throw;
  }
}

}  // namespace verbena::experiments
