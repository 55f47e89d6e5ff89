// Processes of a cluster agree on all that has to be the same.
#include "experiments/session/agreement.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/hardware/hardware_fabric.h"
#include "rdma/hardware/libibverbs_table.h"
#include "rdma/hardware/tcp_rendezvous.h"
#include "tests/support/free_addresses.h"

namespace verbena::experiments {
namespace {

/// A process of a cluster of two, of that commit, that was told these settings.
struct Process {
  std::string commit = "1234";
  std::vector<std::pair<std::string, std::string>> settings = {{"seed", "1"}};
  Command command = Command::kRun;
  std::string operation = {};
};

/// The errors of both when they compare what they are; empty where they agree.
std::vector<std::string> disagreements(const std::vector<Process>& processes) {
  const std::vector<std::string> addresses = testing::free_addresses(processes.size());
  std::vector<std::unique_ptr<rdma::Fabric>> fabrics;
  for (NodeId node = 0; node < processes.size(); ++node) {
    fabrics.push_back(
        rdma::make_hardware_fabric({.nodes = static_cast<std::uint32_t>(processes.size()),
                                    .hosted = {node},
                                    .addresses = addresses}));
  }
  std::vector<std::string> errors(processes.size());
  std::vector<std::jthread> threads;
  for (std::size_t n = 0; n < processes.size(); ++n) {
    threads.emplace_back([&, n] {
      FabricCommand command;
      command.record.command = processes[n].command;
      command.record.operation = processes[n].operation;
      command.record.shared = processes[n].settings;
      command.cluster.endpoint.bring_up_timeout = 30 * kSecond;
      try {
        among_peers(command, processes[n].commit, *fabrics[n], [] { return 0; });
      } catch (const ConfigurationError& error) {
        errors[n] = error.what();
      }
    });
  }
  threads.clear();
  return errors;
}

/// Fabric of node 0 of two; the other never comes up.
class LonelyFabric final : public rdma::Fabric, private rdma::Rendezvous {
 public:
  std::uint32_t nodes() const override { return 2; }
  const std::vector<NodeId>& hosted() const override { return hosted_; }
  const rdma::VerbsTable& verbs(NodeId /*node*/) override { return rdma::libibverbs_table(); }
  rdma::Rendezvous& rendezvous() override { return *this; }
  void run(std::vector<rdma::CoreTask> /*tasks*/) override {}
  std::map<std::string, std::uint64_t> counters(NodeId /*node*/) override { return {}; }
  std::uint64_t moment(NodeId /*node*/) override { return 0; }
  std::uint64_t trace_digest() const override { return 0; }

  /// Time for which the end was told.
  Nanoseconds lingered() const { return lingered_; }

 private:
  void publish(NodeId /*self*/, const std::string& /*key*/,
               std::vector<std::byte> /*value*/) override {}
  std::vector<std::byte> fetch(NodeId /*peer*/, const std::string& /*key*/,
                               Nanoseconds /*timeout*/) override {
    throw rdma::PeerLate("node 1 did not come up");
  }
  void end(const std::string& /*why*/, Nanoseconds linger) override { lingered_ = linger; }

  std::vector<NodeId> hosted_ = {0};
  Nanoseconds lingered_ = 0;
};

TEST(Agreement, WithAPeerThatDoesNotComeIsNotWaitedForAgain) {
  LonelyFabric fabric;
  EXPECT_THROW(among_peers(FabricCommand(), "1234", fabric, [] { return 0; }), PeerMissing);
  EXPECT_EQ(fabric.lingered(), kSecond);
}

TEST(Agreement, OfEqualsIsSilent) {
  EXPECT_EQ(disagreements({{}, {}}), std::vector<std::string>(2));
}

TEST(Agreement, OfDifferentProgramsIsRefusedByBoth) {
  const auto errors = disagreements({{.commit = "1234"}, {.commit = "5678+"}});
  for (const std::string& error : errors) {
    EXPECT_EQ(error.find("the program's commit: node "), 0U) << error;
    EXPECT_NE(error.find(" has 1234"), std::string::npos) << error;
    EXPECT_NE(error.find(" has 5678+"), std::string::npos) << error;
  }
}

TEST(Agreement, NamesAKeyThatOnlyOneHas) {
  const auto errors = disagreements({{}, {.settings = {{"seed", "1"}, {"nam.versions", "8"}}}});
  EXPECT_NE(errors[0].find("nam.versions: node 0 "), std::string::npos) << errors[0];
  EXPECT_NE(errors[0].find(" has no such key"), std::string::npos) << errors[0];
  EXPECT_NE(errors[1].find(" has 8"), std::string::npos) << errors[1];
}

TEST(Agreement, NamesOtherCommandsAndNotTheirKeys) {
  const auto errors = disagreements(
      {{}, {.settings = {{"payload", "64"}}, .command = Command::kBench, .operation = "read"}});
  for (const std::string& error : errors) {
    EXPECT_EQ(error.find("the command: node "), 0U) << error;
    EXPECT_NE(error.find(" has run"), std::string::npos) << error;
    EXPECT_NE(error.find(" has bench read"), std::string::npos) << error;
    EXPECT_EQ(error.find("payload"), std::string::npos) << error;
  }
}

}  // namespace
}  // namespace verbena::experiments
