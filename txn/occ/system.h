// DrTM+H's family of systems: optimistic concurrency control by plan.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "txn/apart_workers.h"
#include "txn/occ/node/node_options.h"
#include "txn/plan/plan.h"
#include "txn/store/store_layout.h"
#include "txn/system.h"

namespace verbena::txn::occ {

/// Options of users, with a plan that is not resolved yet.
struct Options : Settings {
  ApartWorkers workers = {};  ///< used if servers are apart
};

/// Describes the sections "run" and "plan".
std::vector<ParameterSection> parameters(Options& options);

/// Runs on nodes that all compute and store, worker w talking to workers w; or on servers apart:
/// the first nodes store one partition each without backups, and all others compute and talk to all
/// of them.
class System final : public txn::System {
 public:
  explicit System(Options options);

  const Options& options() const { return options_; }

  /// Describes the system: no isolation if conflicts are ignored, no backups if servers are apart.
  const SystemInfo& info() const override;
  std::vector<ParameterSection> parameters() override;
  /// Applies defaults and changes, see txn::changed.
  void set_defaults(const FabricTraits& fabric) override;
  void change(const std::string& changes) override;
  View place(const ClusterShape& shape) const override;
  rdma::EndpointOptions endpoint(const rdma::EndpointOptions& asked, const Deployment& deployment,
                                 NodeId node) const override;
  std::unique_ptr<Participant> join(rdma::Endpoint& endpoint,
                                    const Deployment& deployment) const override;

 private:
  NodeOptions node_options(const Deployment& deployment, std::uint32_t nics) const;

  Options options_;
  std::array<SystemInfo, 4> infos_;  // 1: conflicts are ignored; 2: servers are apart; 3: both
};

/// Parses the system that a file describes; see parse_plan.
std::unique_ptr<txn::System> parse_system(const std::string& name, const std::string& file,
                                          std::string_view text);

}  // namespace verbena::txn::occ
