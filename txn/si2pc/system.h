// Set-up of the shared-nothing baseline on a cluster.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "txn/si2pc/node.h"
#include "txn/system.h"

namespace verbena::txn::si2pc {

/// Options for users.
struct Options {
  std::string name;
  std::string description;
  std::string source;
  std::uint32_t counter_workers = 0;  ///< threads of the counter server; 0: as at other nodes
  NodeOptions node = {};
};

/// Runs nodes that each hold a partition and run transactions on the same cores; the last node
/// serves timestamps (NAM-DB paper, section 7.1: the red line of figure 4). Records are not
/// replicated.
class System final : public txn::System {
 public:
  explicit System(Options options);

  const SystemInfo& info() const override { return info_; }
  std::vector<ParameterSection> parameters() override;
  View place(const ClusterShape& shape) const override;
  rdma::EndpointOptions endpoint(const rdma::EndpointOptions& asked, const Deployment& deployment,
                                 NodeId node) const override;
  std::unique_ptr<Participant> join(rdma::Endpoint& endpoint,
                                    const Deployment& deployment) const override;

 private:
  Options options_;
  SystemInfo info_;
};

/// Parses a system of protocol "si2pc", for the registry.
std::unique_ptr<txn::System> parse_system(const std::string& name, const std::string& file,
                                          std::string_view text);

}  // namespace verbena::txn::si2pc
