// Set-up of ABDLOCK on a cluster.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "txn/blocks/options.h"
#include "txn/prism/server_options.h"
#include "txn/system.h"

namespace verbena::txn::blocks {

/// Runs servers with a copy of all blocks each, and clients with transactions of one record, by
/// one-sided requests (PRISM paper, section 7.2).
class LockSystem final : public txn::System {
 public:
  explicit LockSystem(SystemInfo info);

  const SystemInfo& info() const override { return info_; }
  std::vector<ParameterSection> parameters() override;
  void set_defaults(const FabricTraits& fabric) override;
  View place(const ClusterShape& shape) const override;
  /// Throws ConfigurationError for a server with several NICs whose atomics do not exclude each
  /// other.
  rdma::EndpointOptions endpoint(const rdma::EndpointOptions& asked, const Deployment& deployment,
                                 NodeId node) const override;
  std::unique_ptr<Participant> join(rdma::Endpoint& endpoint,
                                    const Deployment& deployment) const override;

 private:
  void check_nics(const rdma::EndpointOptions& endpoint, const Deployment& deployment) const;

  prism::ServerOptions servers_;
  Options options_;
  bool trust_atomics_across_nics_ = false;
  SystemInfo info_;
};

/// Parses a system of protocol "abdlock", for the registry.
std::unique_ptr<txn::System> parse_lock_system(const std::string& name, const std::string& file,
                                               std::string_view text);

}  // namespace verbena::txn::blocks
