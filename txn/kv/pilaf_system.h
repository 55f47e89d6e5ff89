// Setting up Pilaf on a cluster.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "txn/prism/server_options.h"
#include "txn/system.h"

namespace verbena::txn::kv {

/// Servers that keep a partition each. Clients read by READs and write by calls (PRISM paper,
/// section 6.2).
class PilafSystem final : public txn::System {
 public:
  explicit PilafSystem(SystemInfo info);

  const SystemInfo& info() const override { return info_; }
  std::vector<ParameterSection> parameters() override;
  View place(const ClusterShape& shape) const override;
  rdma::EndpointOptions endpoint(const rdma::EndpointOptions& asked, const Deployment& deployment,
                                 NodeId node) const override;
  std::unique_ptr<Participant> join(rdma::Endpoint& endpoint,
                                    const Deployment& deployment) const override;

 private:
  prism::ServerOptions servers_;
  std::uint32_t spare_extents_ = 64;  // number for each of a server's threads
  SystemInfo info_;
};

/// Parses a system of protocol "pilaf", for the registry.
std::unique_ptr<txn::System> parse_pilaf_system(const std::string& name, const std::string& file,
                                                std::string_view text);

}  // namespace verbena::txn::kv
