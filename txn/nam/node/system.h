// Set-up of NAM-DB on a cluster.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "txn/nam/node/options.h"
#include "txn/nam/node/placement.h"
#include "txn/nam/records/layout.h"
#include "txn/system.h"

namespace verbena::txn::nam {

/// Runs compute servers, memory servers and, on the last nodes, oracles with the vector of commits
/// or a counter (NAM-DB paper, sections 2 to 4). With locality, all nodes but oracles are compute
/// and memory servers both. Records are not replicated: as in the paper, journals make them
/// durable.
class System final : public txn::System {
 public:
  explicit System(Options options);

  const SystemInfo& info() const override;
  std::vector<ParameterSection> parameters() override { return nam::parameters(options_); }
  View place(const ClusterShape& shape) const override { return nam::place(options_, shape); }
  rdma::EndpointOptions endpoint(const rdma::EndpointOptions& asked, const Deployment& deployment,
                                 NodeId node) const override;
  std::unique_ptr<Participant> join(rdma::Endpoint& endpoint,
                                    const Deployment& deployment) const override;

 private:
  Shape shape(std::uint32_t clients) const;
  bool forks() const;
  Freshness freshness() const;

  Options options_;
  // [whether snapshots fork][have own commits][Freshness]
  std::array<std::array<std::array<SystemInfo, 3>, 2>, 2> infos_;
};

/// Parses a system of protocol "nam", for the registry.
std::unique_ptr<txn::System> parse_system(const std::string& name, const std::string& file,
                                          std::string_view text);

/// Parses a system of protocol "nam-naive", whose oracle has a counter.
std::unique_ptr<txn::System> parse_naive_system(const std::string& name, const std::string& file,
                                                std::string_view text);

}  // namespace verbena::txn::nam
