// Setting up PRISM-TX on a cluster.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "txn/prism/server_options.h"
#include "txn/prism_tx/attempt/options.h"
#include "txn/system.h"

namespace verbena::txn::prism_tx {

/// Servers that keep a partition each, and carry out chains; clients that run transactions (PRISM
/// paper, section 8).
class System final : public txn::System {
 public:
  explicit System(SystemInfo info);

  const SystemInfo& info() const override { return info_; }
  std::vector<ParameterSection> parameters() override;
  View place(const ClusterShape& shape) const override;
  rdma::EndpointOptions endpoint(const rdma::EndpointOptions& asked, const Deployment& deployment,
                                 NodeId node) const override;
  std::unique_ptr<Participant> join(rdma::Endpoint& endpoint,
                                    const Deployment& deployment) const override;

 private:
  void check_extensions() const;

  prism::ServerOptions servers_;
  Options options_;
  SystemInfo info_;
};

/// Parses a system of protocol "prism-tx", for the registry.
std::unique_ptr<txn::System> parse_system(const std::string& name, const std::string& file,
                                          std::string_view text);

}  // namespace verbena::txn::prism_tx
