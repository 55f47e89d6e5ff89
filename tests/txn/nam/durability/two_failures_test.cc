// A compute server dies while it writes its journal, others finish its transactions, and then a
// memory server is lost: a cluster that begins from what was saved has all that was published.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "rdma/base/errors.h"
#include "rdma/base/reached_points.h"
#include "rdma/base/value_text.h"
#include "rdma/seam/crash_point.h"
#include "tests/support/test_fabric.h"
#include "tests/workloads/run/set_parameter.h"
#include "txn/registry/load_system.h"
#include "txn/system.h"
#include "workloads/registry/registry.h"
#include "workloads/run/cluster_run.h"
#include "workloads/run/history/history_check.h"

namespace verbena::testing {
namespace {

constexpr std::uint32_t kNodes = 6;  // three compute, two keep records, one counts
constexpr std::uint32_t kWorkers = 2;
constexpr Nanoseconds kSuspectAfter = 1200 * kMicrosecond;

struct Crash {
  NodeId node{0};
  std::string point = {};  // none
  std::uint64_t count = 1;
};

struct Asked {
  std::uint64_t seed = 1;
  std::array<Crash, 3> crashes = {};
  Nanoseconds duration = 6 * kMillisecond;
  Nanoseconds suspect_after = kSuspectAfter;
  std::string checkpoints = {};
  std::string restore = {};
  ReachedPoints* reached = nullptr;
};

/// A run with all that it refers to.
class OneRun {
 public:
  explicit OneRun(const Asked& asked) : fabric_(make_fabric(shape(asked))) {
    system_ = txn::load_system("nam");
    set_parameter(*system_, "stable_snapshots", "true");
    set_parameter(*system_, "journals", "2");
    set_parameter(*system_, "checkpoints", asked.checkpoints);
    set_parameter(*system_, "restore", asked.restore);
    set_parameter(*system_, "checkpoint_interval", "1ms");
    if (asked.restore.empty()) {
      set_parameter(*system_, "heartbeat", "50us");
      set_parameter(*system_, "suspect_after", format_duration(asked.suspect_after));
    }
    const std::uint32_t partitions = system_->place({.nodes = kNodes, .replicas = 1}).partitions();
    const auto factory = workloads::workload_factory("smallbank");
    for (const auto& [name, value] : factory->info().small_tables) {
      set_parameter(*factory, name, value);
    }
    workload_ = factory->make({.partitions = partitions, .workers = kWorkers});
    workloads::RunOptions options;
    options.endpoint = options_for(shape(asked));
    // Packets that are lost several times are sent again before anybody is suspected, and NICs give
    // up after that.
    options.endpoint.rc_timeout_exponent = 6;
    options.endpoint.rc_retries = 6;
    options.endpoint.rpc.timeout = 100 * kMicrosecond;
    options.endpoint.rpc.max_timeout = kMillisecond;
    options.endpoint.rpc.retries = 6;
    options.endpoint.rpc.ack_delay = 40 * kMicrosecond;
    options.fibers = 4;
    options.replicas = 1;
    options.duration = asked.duration;
    options.seed = asked.seed;
    options.patience = 100 * kMillisecond;
    options.check_history = true;
    options.reached = asked.reached;
    for (std::size_t i = 0; i < crashes_.size(); ++i) {
      if (asked.crashes[i].point.empty()) continue;
      crashes_[i].node = asked.crashes[i].node;
      crashes_[i].point = asked.crashes[i].point;
      crashes_[i].count = asked.crashes[i].count;
      // Some of what it had sent arrives before it is shut out.
      crashes_[i].late = 2 * kSuspectAfter;
      options.crashes.push_back(&crashes_[i]);
    }
    cluster_ = std::make_unique<workloads::ClusterRun>(*fabric_, *workload_, *system_, options);
  }

  workloads::ClusterRun& cluster() { return *cluster_; }
  bool happened(std::size_t crash) const { return crashes_[crash].happened(); }

  /// Ends all but the workload: there is one simulation at a time.
  std::unique_ptr<workloads::Workload> end() {
    cluster_.reset();
    fabric_.reset();
    return std::move(workload_);
  }

 private:
  static FabricShape shape(const Asked& asked) {
    FabricShape shape{.nodes = kNodes, .workers = kWorkers, .seed = asked.seed, .chaos = true};
    shape.overrides = {{"fabric.rc_loss", "0.03"}};
    return shape;
  }

  std::unique_ptr<rdma::Fabric> fabric_;
  std::unique_ptr<txn::System> system_;
  std::unique_ptr<workloads::Workload> workload_;
  std::array<rdma::CrashPoint, 3> crashes_;
  std::unique_ptr<workloads::ClusterRun> cluster_;
};

std::string first_error(const workloads::RunResult& result) {
  if (!result.verification.checked) return "was not verified";
  return result.verification.ok() ? anomaly_text(result.anomaly) : result.verification.errors[0];
}

/// How many seeds each test tries.
std::uint64_t seeds(std::uint64_t by_default) {
  const char* asked = std::getenv("VERBENA_TEST_SEEDS");
  return asked == nullptr ? by_default : std::strtoull(asked, nullptr, 10);
}

class NamTwoFailures : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(root_); }
  void TearDown() override { std::filesystem::remove_all(root_); }

  /// A run in which servers die, and one that begins where it ended. Whatever was published is
  /// there, and numbers of commits go on behind it.
  void expect_kept(Asked asked) {
    const std::string where = "seed " + std::to_string(asked.seed);
    std::filesystem::remove_all(root_);
    asked.checkpoints = root_ / "first";
    auto lost = std::make_unique<OneRun>(asked);
    bool ended = false;
    try {
      const auto result = lost->cluster().run();
      EXPECT_EQ(first_error(result), "") << where;
      ended = true;
    } catch (const PeerMissing&) {
      ++lost_;
    }
    for (std::size_t crash = 0; crash < died_.size(); ++crash) {
      if (lost->happened(crash)) ++died_[crash];
    }
    const std::vector<std::uint32_t> published = lost->cluster().published();
    const auto recorded = ended ? nullptr : lost->cluster().release_check();
    const auto workload = lost->end();
    lost.reset();
    try {
      OneRun next({.seed = asked.seed + 1000,
                   .duration = 300 * kMicrosecond,
                   .checkpoints = root_ / "second",
                   .restore = asked.checkpoints,
                   .reached = asked.reached});
      const std::vector<std::uint32_t> restored = next.cluster().published();
      ASSERT_EQ(published.size(), restored.size());
      for (std::size_t slot = 0; slot < published.size(); ++slot) {
        EXPECT_LE(published[slot], restored[slot]) << where << ", slot " << slot;
      }
      if (recorded) {
        EXPECT_EQ(anomaly_text(next.cluster().compare(*recorded)), "") << where;
      }
      const auto result = next.cluster().run();
      EXPECT_EQ(first_error(result), "") << where;
      EXPECT_GT(result.committed_total, 0U) << where;
    } catch (const ConfigurationError& refused) {
      ADD_FAILURE() << where << ": " << refused.what();
    }
  }

  static Crash compute_server(std::uint64_t seed, const std::string& point) {
    return {.node = static_cast<NodeId>(seed % 3), .point = point, .count = 5 + seed * 7 % 60};
  }

  const std::filesystem::path root_ = std::filesystem::path(::testing::TempDir()) /
                                      ("nam_two_failures." + std::to_string(::getpid()));
  std::uint64_t lost_ = 0;                  // runs that could not go on
  std::array<std::uint64_t, 3> died_ = {};  // runs in which this crash happened
};

// It gives back locks when all that was written down has been finished.
TEST_F(NamTwoFailures, AMemoryServerIsLostAtTheEndOfARecovery) {
  ReachedPoints reached;
  const std::uint64_t tried = seeds(40);
  for (std::uint64_t seed = 1; seed <= tried; ++seed) {
    const Crash memory_server{.node = static_cast<NodeId>(3 + seed / 3 % 2),
                              .point = "nam: lock of a dead server released"};
    expect_kept({.seed = seed,
                 .crashes = {compute_server(seed, seed % 2 == 0 ? "nam: journal is being written"
                                                                : "nam: all locks held"),
                             memory_server},
                 .reached = &reached});
  }
  EXPECT_GT(died_[1], tried / 4);
  EXPECT_TRUE(reached.points().contains("nam: journal of a dead server lacks an entry in a copy"));
}

// Others have gone on with what was published, and one of the checkpoints may be newer.
TEST_F(NamTwoFailures, AMemoryServerIsLostSomeTimeLater) {
  const std::uint64_t tried = seeds(40);
  for (std::uint64_t seed = 1; seed <= tried; ++seed) {
    const Crash memory_server{.node = static_cast<NodeId>(3 + seed / 3 % 2),
                              .point = "nam: checkpoint written",
                              .count = 3 + seed % 3};
    expect_kept(
        {.seed = seed,
         .crashes = {compute_server(seed, "nam: journal is being written"), memory_server}});
  }
  EXPECT_GT(died_[1], tried / 4);
}

// The server behind it in the ring goes on, whose copies may be of two writers then.
TEST_F(NamTwoFailures, WhoFinishesTheTransactionsDiesAsWell) {
  const std::uint64_t tried = seeds(20);
  for (std::uint64_t seed = 1; seed <= tried; ++seed) {
    const auto first = compute_server(seed, "nam: journal is being written");
    const Crash second{.node = static_cast<NodeId>((first.node + 1) % 3),
                       .point = seed % 2 == 0
                                    ? "nam: journal of a dead server is whole in all copies"
                                    : "nam: transaction of a dead server rolled forward"};
    const Crash memory_server{.node = static_cast<NodeId>(3 + seed / 3 % 2),
                              .point = "nam: lock of a dead server released"};
    expect_kept(
        {.seed = seed, .crashes = {first, second, memory_server}, .duration = 10 * kMillisecond});
  }
  EXPECT_GT(died_[1], tried / 4);
  EXPECT_GT(died_[2], tried / 4);
}

// Writes of the second for the first arrive when others have long had the record, or never. It may
// also be alive and just silent for too long, since packets were lost, and write on; then it finds
// itself shut out, and all begin again.
TEST_F(NamTwoFailures, WhoFinishesTheTransactionsWritesNothingAfterItsDeath) {
  const std::uint64_t tried = seeds(60);
  for (std::uint64_t seed = 1; seed <= tried; ++seed) {
    const auto first = compute_server(seed, "nam: journal is being written");
    const Crash second{.node = static_cast<NodeId>((first.node + 1) % 3),
                       .point = "nam: version of a dead server is being written",
                       .count = 1 + seed % 2};
    expect_kept({.seed = seed,
                 .crashes = {first, second},
                 .duration = 8 * kMillisecond,
                 .suspect_after = seed % 3 == 0 ? kSuspectAfter : 250 * kMicrosecond});
  }
  EXPECT_GT(lost_, 0U);
  EXPECT_GT(died_[1], tried / 4);
}

}  // namespace
}  // namespace verbena::testing
