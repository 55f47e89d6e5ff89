// Setting up PRISM-KV on a cluster.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "txn/prism/server_options.h"
#include "txn/system.h"

namespace verbena::txn::kv {

/// Servers that keep a partition each, and carry out chains; clients that run transactions of one
/// record (PRISM paper, section 6).
class PrismSystem final : public txn::System {
 public:
  explicit PrismSystem(SystemInfo info);

  const SystemInfo& info() const override { return info_; }
  std::vector<ParameterSection> parameters() override;
  View place(const ClusterShape& shape) const override;
  rdma::EndpointOptions endpoint(const rdma::EndpointOptions& asked, const Deployment& deployment,
                                 NodeId node) const override;
  std::unique_ptr<Participant> join(rdma::Endpoint& endpoint,
                                    const Deployment& deployment) const override;

 private:
  prism::ServerOptions options_;
  SystemInfo info_;
};

/// Parses a system of protocol "prism-kv", for the registry.
std::unique_ptr<txn::System> parse_prism_system(const std::string& name, const std::string& file,
                                                std::string_view text);

}  // namespace verbena::txn::kv
