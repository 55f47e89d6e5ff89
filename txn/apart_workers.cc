// Two groups of nodes.
#include "txn/apart_workers.h"

#include <algorithm>
#include <memory>

#include "rdma/base/errors.h"
#include "rdma/device/cluster_links.h"

namespace verbena::txn {
namespace {

enum Group : std::uint16_t { kServing, kAsking };

// A node has as many threads as --threads says, or fewer.
rdma::NodeGroup group(const std::string& name, const std::string& section, std::uint32_t chosen,
                      const rdma::EndpointOptions& asked) {
  if (chosen > asked.workers) {
    throw ConfigurationError(section + "." + name + "_workers " + std::to_string(chosen) +
                             "; allowed are at most as many as --threads " +
                             std::to_string(asked.workers));
  }
  const std::uint32_t workers = chosen == 0 ? asked.workers : chosen;
  return {
      .name = name, .workers = workers, .nics = std::min(asked.nics, workers), .own_node = false};
}

}  // namespace

std::vector<Parameter> worker_parameters(ApartWorkers& workers) {
  return {{.name = "server_workers",
           .help = "threads of each server; 0: as many as --threads",
           .target = &workers.of_server,
           .maximum = 1024},
          {.name = "client_workers",
           .help = "threads of each node that runs transactions; 0: as many as --threads",
           .target = &workers.of_client,
           .maximum = 1024}};
}

rdma::EndpointOptions apart_endpoint(const View& view, const ApartWorkers& workers,
                                     const std::string& section, const rdma::EndpointOptions& asked,
                                     NodeId node) {
  std::vector<std::uint16_t> groups;
  for (std::uint32_t n = 0; n < view.nodes(); ++n) {
    groups.push_back(view.computes(static_cast<NodeId>(n)) ? kAsking : kServing);
  }
  rdma::EndpointOptions endpoint = asked;
  endpoint.links = std::make_shared<const rdma::ClusterLinks>(
      std::vector{group("server", section, workers.of_server, asked),
                  group("client", section, workers.of_client, asked)},
      groups, [](std::size_t a, std::size_t b) { return a != b; });
  endpoint.workers = endpoint.links->workers(node);
  endpoint.nics = endpoint.links->nics(node);
  return endpoint;
}

}  // namespace verbena::txn
