// Set-up of PRISM-RS on a cluster.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "txn/blocks/options.h"
#include "txn/prism/server_options.h"
#include "txn/system.h"

namespace verbena::txn::blocks {

/// Runs servers with a copy of all blocks each, which carry out chains, and clients with
/// transactions of one record (PRISM paper, section 7).
class RsSystem final : public txn::System {
 public:
  explicit RsSystem(SystemInfo info);

  const SystemInfo& info() const override { return info_; }
  std::vector<ParameterSection> parameters() override;
  View place(const ClusterShape& shape) const override;
  rdma::EndpointOptions endpoint(const rdma::EndpointOptions& asked, const Deployment& deployment,
                                 NodeId node) const override;
  std::unique_ptr<Participant> join(rdma::Endpoint& endpoint,
                                    const Deployment& deployment) const override;

 private:
  prism::ServerOptions servers_;
  Options options_;
  SystemInfo info_;
};

/// Parses a system of protocol "prism-rs", for the registry.
std::unique_ptr<txn::System> parse_rs_system(const std::string& name, const std::string& file,
                                             std::string_view text);

}  // namespace verbena::txn::blocks
