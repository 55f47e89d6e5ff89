// DrTM+H's family of systems: optimistic concurrency control by plan.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "txn/apart_workers.h"
#include "txn/occ/transaction_node.h"
#include "txn/plan/plan.h"
#include "txn/store/store_layout.h"
#include "txn/system.h"

namespace verbena::txn::occ {

/// What only these systems have.
struct Options {
  Plan plan;                  ///< not resolved yet
  std::uint32_t servers = 0;  ///< the first nodes, which only hold partitions; 0: all nodes do both
  ApartWorkers workers = {};  ///< where there are such
  std::uint64_t log_ring_bytes = 0;
  bool shortest_log_rings = false;
  std::uint64_t location_cache_bytes = 300 << 20;
  bool warm_location_cache = true;
  std::uint32_t bucket_slots_percent = StoreLayout::kUsualSlotsPercent;
  bool execution_is_remote_reads = false;
};

/// Sections "run" and "plan".
std::vector<ParameterSection> parameters(Options& options);

/// Every node computes and stores, and worker w talks to workers w; or the first nodes store, one
/// partition each and without backups, and all others compute, each of which talks to all of them.
class System final : public txn::System {
 public:
  explicit System(Options options);

  const Options& options() const { return options_; }

  /// It promises nothing where conflicts are ignored, and has no backups where servers are apart.
  const SystemInfo& info() const override;
  std::vector<ParameterSection> parameters() override;
  /// See txn::changed.
  void set_defaults(const FabricTraits& fabric) override;
  void change(const std::string& changes) override;
  View place(const ClusterShape& shape) const override;
  rdma::EndpointOptions endpoint(const rdma::EndpointOptions& asked, const Deployment& deployment,
                                 NodeId node) const override;
  std::unique_ptr<Participant> join(rdma::Endpoint& endpoint,
                                    const Deployment& deployment) const override;

 private:
  TransactionOptions transactions(const Deployment& deployment, std::uint32_t nics) const;

  Options options_;
  std::array<SystemInfo, 4> infos_;  // 1: conflicts are ignored; 2: servers are apart; 3: both
};

/// The system that a file describes; see parse_plan.
std::unique_ptr<txn::System> parse_system(const std::string& name, const std::string& file,
                                          std::string_view text);

}  // namespace verbena::txn::occ
