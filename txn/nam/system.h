// Setting up NAM-DB on a cluster.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "txn/nam/layout.h"
#include "txn/nam/node_options.h"
#include "txn/system.h"

namespace verbena::txn::nam {

/// What users may choose.
struct Options {
  std::string name;
  std::string description;
  std::string source;
  std::uint32_t memory_nodes = 0;    ///< 0: half of the nodes but the oracle
  std::uint32_t memory_workers = 1;  ///< threads of each node that does not compute
  Oracle oracle = Oracle::kVector;
  std::uint32_t oracles = 1;
  bool oracle_on_memory = false;
  std::uint32_t versions = 3;
  std::uint32_t bucket_slots_percent = 150;
  NodeOptions node = {};
};

/// Compute servers, memory servers, and oracles, the last nodes, which keep the vector of commits,
/// or instead a counter (NAM-DB paper, sections 2 to 4); with locality all but these are compute
/// and memory servers both. Records are not replicated: the paper's way to durability are logs.
class System final : public txn::System {
 public:
  explicit System(Options options);

  const SystemInfo& info() const override;
  std::vector<ParameterSection> parameters() override;
  View place(const ClusterShape& shape) const override;
  rdma::EndpointOptions endpoint(const rdma::EndpointOptions& asked, const Deployment& deployment,
                                 NodeId node) const override;
  std::unique_ptr<Participant> join(rdma::Endpoint& endpoint,
                                    const Deployment& deployment) const override;

 private:
  void check(const ClusterShape& shape) const;
  Shape shape(std::uint32_t clients) const;
  void check_choices() const;
  void check_oracles(std::uint32_t memory_servers) const;

  bool forks() const;

  Options options_;
  std::array<std::array<SystemInfo, 2>, 2> infos_;  // [whether snapshots fork][have own commits]
};

/// For the registry: protocol "nam".
std::unique_ptr<txn::System> parse_system(const std::string& name, const std::string& file,
                                          std::string_view text);

/// Likewise, protocol "nam-naive": the oracle has a counter, unless asked otherwise.
std::unique_ptr<txn::System> parse_naive_system(const std::string& name, const std::string& file,
                                                std::string_view text);

}  // namespace verbena::txn::nam
