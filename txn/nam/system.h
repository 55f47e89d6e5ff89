// Setting up NAM-DB on a cluster.
#pragma once

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
  std::uint32_t memory_workers = 1;  ///< threads of each
  bool oracle_on_memory = false;
  std::uint32_t versions = 3;
  std::uint32_t bucket_slots_percent = 150;
  NodeOptions node = {};
};

/// Compute servers, memory servers, and a server for the vector of commits, the last node (NAM-DB
/// paper, sections 2 and 4). Records are not replicated: the paper's way to durability are logs.
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
  void check_recovery() const;
  Shape shape(std::uint32_t clients) const;

  Options options_;
  SystemInfo stable_;
  SystemInfo torn_;
};

/// For the registry: protocol "nam".
std::unique_ptr<txn::System> parse_system(const std::string& name, const std::string& file,
                                          std::string_view text);

}  // namespace verbena::txn::nam
