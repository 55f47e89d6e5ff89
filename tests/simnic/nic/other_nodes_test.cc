// Nodes of a cluster that have other cores, NICs or CPUs than its others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "rdma/base/errors.h"
#include "tests/simnic/verbs_cluster.h"

namespace verbena::simnic {
namespace {

using rdma::Core;

/// Three nodes of which the last is what `others` says.
SimOptions cluster_with(const OtherNodes& others) {
  SimOptions options;
  options.nodes = 3;
  options.other_nodes = {others};
  return options;
}

/// How long node `from` takes for a READ of 64 bytes at node `to`, on a warm connection.
Nanoseconds read_latency(const SimOptions& options, NodeId from, NodeId to) {
  VerbsCluster cluster(options);
  const auto [qp, peer] = cluster.connected(from, to);
  ibv_sge target = cluster.node(from).piece(0, 64);
  Nanoseconds latency = 0;
  cluster.run({{from, [&](Core& core) {
                  for (int round = 0; round < 2; ++round) {
                    const Nanoseconds start = core.now();
                    ASSERT_EQ(post(qp, read_request(&target, cluster.node(to), 0)), 0);
                    ASSERT_EQ(await(core, cluster.node(from).cq).front().status, IBV_WC_SUCCESS);
                    latency = core.now() - start;
                  }
                }}});
  return latency;
}

SimOptions all_alike(const std::string& nic) {
  SimOptions options;
  options.nodes = 3;
  options.nic_profile = nic;
  options.fabric_profile = "edr-switch";
  return options;
}

TEST(OtherNodes, HaveTheirOwnNics) {
  SimOptions mixed = all_alike("connectx-4");
  mixed.other_nodes = {{.first = 2, .nic_profile = "connectx-3"}};
  const Nanoseconds one = read_latency(all_alike("connectx-4"), 0, 1);
  const Nanoseconds other = read_latency(all_alike("connectx-3"), 0, 1);
  EXPECT_EQ(read_latency(mixed, 0, 1), one);
  // A NIC at one end is part of the way, at both ends the whole.
  for (const Nanoseconds across : {read_latency(mixed, 0, 2), read_latency(mixed, 2, 0)}) {
    EXPECT_GT(across, std::min(one, other));
    EXPECT_LT(across, std::max(one, other));
  }
}

/// Gb/s of large READs that node `reader` has of all other nodes at a time.
double read_gbps(const SimOptions& options, NodeId reader) {
  constexpr std::uint32_t kBytes = 1 << 16;
  constexpr int kRounds = 50;
  VerbsCluster cluster(options);
  std::vector<ibv_qp*> queue_pairs;
  std::vector<NodeId> owners;
  for (NodeId owner = 0; owner < options.nodes; ++owner) {
    if (owner == reader) continue;
    queue_pairs.push_back(cluster.connected(reader, owner).first);
    owners.push_back(owner);
  }
  ibv_sge target = cluster.node(reader).piece(0, kBytes);
  Nanoseconds taken = 0;
  cluster.run(
      {{reader, [&](Core& core) {
          const Nanoseconds start = core.now();
          for (int round = 0; round < kRounds; ++round) {
            for (std::size_t i = 0; i < owners.size(); ++i) {
              ASSERT_EQ(post(queue_pairs[i], read_request(&target, cluster.node(owners[i]), 0)), 0);
            }
            for (std::size_t seen = 0; seen < owners.size();) {
              const auto found = await(core, cluster.node(reader).cq);
              for (const auto& completion : found) {
                ASSERT_EQ(completion.status, IBV_WC_SUCCESS);
              }
              seen += found.size();
            }
          }
          taken = core.now() - start;
        }}});
  return 8.0 * kBytes * kRounds * static_cast<double>(owners.size()) /
         static_cast<double>(taken.count());
}

TEST(OtherNodes, ReceiveNoFasterThanTheirPort) {
  SimOptions mixed = all_alike("connectx-4");
  mixed.nodes = 4;
  mixed.overrides.set("nic.pcie_lane_mbps", "8000");
  mixed.overrides.set("cpu.pcie_lane_mbps", "8000");
  mixed.other_nodes = {{.first = 3, .nic_profile = "connectx-3"}};
  constexpr double kPortGbps = 54.5;  // FDR
  EXPECT_GT(read_gbps(mixed, 0), kPortGbps);
  EXPECT_LT(read_gbps(mixed, 3), kPortGbps);
  EXPECT_GT(read_gbps(mixed, 3), 0.7 * kPortGbps);
}

/// Time that 1000 transactions' worth of work takes on a core of `node`.
Nanoseconds time_of_work(const SimOptions& options, NodeId node) {
  VerbsCluster cluster(options);
  Nanoseconds taken = 0;
  cluster.run({{node, [&](Core& core) {
                  const Nanoseconds start = core.now();
                  core.spend(rdma::Work::kTransactionInput, 1000);
                  taken = core.now() - start;
                }}});
  return taken;
}

TEST(OtherNodes, HaveTheirOwnCpus) {
  const std::vector<std::string> cpus = built_in_profiles("cpu");
  ASSERT_GE(cpus.size(), 2U);
  for (const std::string& cpu : cpus) {
    SimOptions alike;
    alike.cpu_profile = cpu;
    const SimOptions mixed = cluster_with({.first = 2, .cpu_profile = cpu});
    EXPECT_EQ(time_of_work(mixed, 2), time_of_work(alike, 0)) << cpu;
    EXPECT_EQ(time_of_work(mixed, 1), time_of_work(SimOptions{}, 0)) << cpu;
  }
}

TEST(OtherNodes, HaveTheirOwnNumberOfCores) {
  const SimOptions options = cluster_with({.first = 2, .cores = 2});
  const auto tasks_on = [](NodeId node) {
    return std::vector<rdma::CoreTask>{{node, 0, [](Core&) {}}, {node, 1, [](Core&) {}}};
  };
  const auto fabric = make_sim_fabric(options);
  EXPECT_NO_THROW(fabric->run(tasks_on(2)));
  EXPECT_THROW(fabric->run(tasks_on(1)), ConfigurationError);
}

TEST(OtherNodes, ThatAreLikeTheOthersChangeNothing) {
  const SimOptions alike = cluster_with({.first = 1, .count = 2, .nic_profile = "connectx-4"});
  SimOptions plain;
  plain.nodes = 3;
  EXPECT_EQ(read_latency(alike, 0, 2), read_latency(plain, 0, 2));
}

TEST(OtherNodes, MustExistAndFitTheNetwork) {
  const auto message = [](const OtherNodes& others) {
    try {
      make_sim_fabric(cluster_with(others));
    } catch (const ConfigurationError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message({.first = 2, .count = 2}),
            "nodes 2 to 3 are not like the others, but the cluster has 3 nodes");
  EXPECT_EQ(message({.first = 0, .nic_profile = "connectx-4-roce"}),
            "NICs 'connectx-4-roce' and 'connectx-4' differ in path_mtu_bytes or ethernet: no "
            "network connects them");
  EXPECT_EQ(message({.first = 0, .cores = 2000}), "cores per node is 2000, allowed are 1 to 1024");
}

}  // namespace
}  // namespace verbena::simnic
