// Memory servers that die: a cluster that begins from what was saved has all that was told.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
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

struct Asked {
  std::string workload = "smallbank";
  std::uint64_t seed = 1;
  std::string point = "nam: checkpoint written";  // empty: none dies
  std::uint64_t count = 1;
  NodeId node{3};
  std::uint32_t journal_bytes = 0;
  std::uint32_t extent_records = 0;
  std::uint32_t first_buckets = 0;
  Nanoseconds checkpoint_interval = 100 * kMicrosecond;
  Nanoseconds duration = kMillisecond;
  std::string checkpoints = {};
  std::string restore = {};
  ReachedPoints* reached = nullptr;
  std::string next_order = {};  // of tpcc; empty: as by default
};

/// A run with all that it refers to.
class OneRun {
 public:
  explicit OneRun(const Asked& asked) : fabric_(make_fabric(shape(asked))) {
    factory_ = workloads::workload_factory(asked.workload);
    system_ = txn::load_system("nam");
    set_parameter(*system_, "stable_snapshots", "true");
    set_parameter(*system_, "journals", "2");
    set_parameter(*system_, "journal_bytes", std::to_string(asked.journal_bytes));
    set_parameter(*system_, "extent_records", std::to_string(asked.extent_records));
    set_parameter(*system_, "first_buckets", std::to_string(asked.first_buckets));
    set_parameter(*system_, "checkpoints", asked.checkpoints);
    set_parameter(*system_, "restore", asked.restore);
    set_parameter(*system_, "checkpoint_interval", format_duration(asked.checkpoint_interval));
    set_parameter(*system_, "longest_transaction", "200us");
    const std::uint32_t partitions = system_->place({.nodes = kNodes, .replicas = 1}).partitions();
    for (const auto& [name, value] : factory_->info().small_tables) {
      set_parameter(*factory_, name, name == "warehouses" ? std::to_string(partitions) : value);
    }
    if (!asked.next_order.empty()) set_parameter(*factory_, "next_order", asked.next_order);
    workload_ = factory_->make({.partitions = partitions, .workers = kWorkers});
    crash_.node = asked.node;
    crash_.point = asked.point;
    crash_.count = asked.count;
    workloads::RunOptions options;
    options.endpoint = options_for(shape(asked));
    // A transaction that holds locks and waits for the dead server keeps all others from going on.
    options.endpoint.rc_timeout_exponent = 6;
    options.endpoint.rc_retries = 2;
    options.endpoint.rpc.timeout = 100 * kMicrosecond;
    options.endpoint.rpc.max_timeout = kMillisecond;
    options.endpoint.rpc.retries = 3;
    options.endpoint.rpc.ack_delay = 40 * kMicrosecond;
    options.fibers = 4;
    options.replicas = 1;
    options.duration = asked.duration;
    options.seed = asked.seed;
    options.patience = 100 * kMillisecond;
    options.check_history = true;
    options.reached = asked.reached;
    if (!asked.point.empty()) options.crashes = {&crash_};
    cluster_ = std::make_unique<workloads::ClusterRun>(*fabric_, *workload_, *system_, options);
  }

  workloads::ClusterRun& cluster() { return *cluster_; }
  bool died() const { return crash_.happened(); }

  /// Ends all but the workload: there is one simulation at a time.
  std::unique_ptr<workloads::Workload> end() {
    cluster_.reset();
    fabric_.reset();
    return std::move(workload_);
  }

 private:
  static FabricShape shape(const Asked& asked) {
    return {.nodes = kNodes, .workers = kWorkers, .seed = asked.seed, .chaos = true};
  }

  std::unique_ptr<rdma::Fabric> fabric_;
  std::unique_ptr<workloads::WorkloadFactory> factory_;
  std::unique_ptr<txn::System> system_;
  std::unique_ptr<workloads::Workload> workload_;
  rdma::CrashPoint crash_;
  std::unique_ptr<workloads::ClusterRun> cluster_;
};

std::string first_error(const workloads::RunResult& result) {
  if (!result.verification.checked) return "was not verified";
  return result.verification.ok() ? anomaly_text(result.anomaly) : result.verification.errors[0];
}

/// Empty, and gone afterwards.
class TemporaryDirectory {
 public:
  TemporaryDirectory() { std::filesystem::remove_all(path_); }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_ =
      std::filesystem::path(::testing::TempDir()) / ("nam_restore." + std::to_string(::getpid()));
};

class NamRestore : public ::testing::Test {
 protected:
  std::string directory(const std::string& name) const { return root_ / name; }

  /// A run in which a memory server may die, and one that begins where it ended.
  void expect_restored(Asked asked) {
    const std::string where =
        asked.workload + ", " + asked.point + ", seed " + std::to_string(asked.seed);
    std::filesystem::remove_all(root_);
    asked.checkpoints = directory("first");
    auto lost = std::make_unique<OneRun>(asked);
    try {
      EXPECT_EQ(first_error(lost->cluster().run()), "") << where;
      EXPECT_FALSE(lost->died()) << where;
    } catch (const PeerMissing&) {
      EXPECT_TRUE(lost->died()) << where;
      ++lost_;
    }
    const auto recorded = lost->died() ? lost->cluster().release_check() : nullptr;
    const auto workload = lost->end();
    lost.reset();
    OneRun next({.workload = asked.workload,
                 .seed = asked.seed + 1000,
                 .point = "",
                 .journal_bytes = asked.journal_bytes,
                 .extent_records = asked.extent_records,
                 .first_buckets = asked.first_buckets,
                 .duration = 300 * kMicrosecond,
                 .checkpoints = directory("second"),
                 .restore = asked.checkpoints,
                 .reached = asked.reached,
                 .next_order = asked.next_order});
    if (recorded) {
      EXPECT_EQ(anomaly_text(next.cluster().compare(*recorded)), "") << where;
    }
    const auto result = next.cluster().run();
    EXPECT_EQ(first_error(result), "") << where;
    EXPECT_GT(result.committed_total, 0U) << where;
  }

  TemporaryDirectory temporary_;
  const std::filesystem::path& root_ = temporary_.path();
  std::uint64_t lost_ = 0;
};

TEST_F(NamRestore, BeginsWhereARunEnded) {
  for (const std::string workload : {"smallbank", "stress", "tpcc"}) {
    expect_restored({.workload = workload, .point = ""});
  }
}

TEST_F(NamRestore, NumbersGoOnWhereARunEnded) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    expect_restored({.workload = "tpcc", .seed = seed, .point = "", .next_order = "fetch-add"});
  }
}

// They would go on where the last checkpoint was.
TEST_F(NamRestore, NumbersAreRefusedWithJournals) {
  try {
    expect_restored({.workload = "tpcc", .count = 3, .next_order = "fetch-add"});
    FAIL() << "was not refused";
  } catch (const ConfigurationError& refused) {
    EXPECT_NE(std::string(refused.what()).find("how far table 'order_number' has counted"),
              std::string::npos)
        << refused.what();
  }
}

class NamLostServer : public NamRestore, public ::testing::WithParamInterface<std::string> {};

// Transactions are in all states when one of these comes.
INSTANTIATE_TEST_SUITE_P(Points, NamLostServer,
                         ::testing::Values("nam: checkpoint is being taken",
                                           "nam: checkpoint written"));

TEST_P(NamLostServer, TakesNothingThatWasTold) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    expect_restored({.seed = seed,
                     .point = GetParam(),
                     .count = 1 + seed % 7,
                     .node = static_cast<NodeId>(3 + seed % 2)});
  }
  EXPECT_GT(lost_, 40U);
}

TEST_P(NamLostServer, KeepsTheConditionsOfTpcc) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    expect_restored({.workload = "tpcc", .seed = seed, .point = GetParam(), .count = 1 + seed % 5});
  }
  EXPECT_GT(lost_, 2U);
}

// Records are inserted and erased, and their entries used again.
TEST_P(NamLostServer, KeepsKeysAndRanges) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    expect_restored({.workload = "stress",
                     .seed = seed,
                     .point = GetParam(),
                     .count = 5 + 3 * seed % 40,
                     .duration = 6 * kMillisecond});
  }
  EXPECT_GT(lost_, 10U);
}

// The same, where compute servers had taken entries that they did not use, and hash tables had
// grown.
TEST_P(NamLostServer, KeepsKeysOfExtentsAndOfTablesThatGrew) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    expect_restored({.workload = "stress",
                     .seed = seed,
                     .point = GetParam(),
                     .count = 5 + 3 * seed % 40,
                     .extent_records = 4,
                     .first_buckets = 1,
                     .duration = 6 * kMillisecond});
  }
  EXPECT_GT(lost_, 5U);
}

// Entries that no checkpoint holds are not overwritten.
TEST_F(NamRestore, JournalsWaitForCheckpoints) {
  ReachedPoints reached;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const bool written = seed % 2 == 0;
    expect_restored(
        {.seed = seed,
         .point = written ? "nam: checkpoint written" : "nam: checkpoint is being taken",
         .count = written ? 2 + seed % 3 : 5 + 3 * seed % 40,
         .journal_bytes = 1500,
         .checkpoint_interval = 400 * kMicrosecond,
         .duration = 4 * kMillisecond,
         .reached = &reached});
  }
  EXPECT_GT(lost_, 10U);
  EXPECT_TRUE(reached.points().contains("nam: journal waits for checkpoints"));
  EXPECT_TRUE(reached.points().contains("nam: journal goes around"));
}

// They do not tell of what the checkpoints hold, perhaps one more than the other.
TEST_F(NamRestore, RefusesJournalsOfEarlier) {
  for (const std::uint64_t count : {1, 7}) {
    OneRun run({.count = count, .checkpoints = directory(std::to_string(count))});
    EXPECT_THROW(run.cluster().run(), PeerMissing);
    run.end();
  }
  copy_file(root_ / "1" / "journals.4", root_ / "7" / "journals.4",
            std::filesystem::copy_options::overwrite_existing);
  try {
    const OneRun next({.point = "", .restore = directory("7")});
    FAIL() << "was not refused";
  } catch (const ConfigurationError& refused) {
    EXPECT_NE(std::string(refused.what()).find("neither in a journal nor in all checkpoints"),
              std::string::npos)
        << refused.what();
  }
}

TEST_F(NamRestore, IsRefusedWithoutAllThatItNeeds) {
  expect_restored({.point = "nam: checkpoint written", .count = 3});
  const auto error = [&](const std::function<void(const std::filesystem::path&)>& damage) {
    std::filesystem::remove_all(root_ / "damaged");
    std::filesystem::copy(root_ / "first", root_ / "damaged");
    damage(root_ / "damaged");
    try {
      const OneRun next({.point = "", .restore = directory("damaged")});
    } catch (const ConfigurationError& refused) {
      return std::string(refused.what());
    }
    return std::string();
  };
  const auto says = [](const std::string& text, const std::string& what) {
    return text.find(what) != std::string::npos;
  };
  EXPECT_EQ(error([](const std::filesystem::path&) {}), "");
  EXPECT_TRUE(says(error([](const std::filesystem::path& all) { remove(all / "checkpoint.3"); }),
                   "checkpoint.3: is not there"));
  EXPECT_TRUE(says(error([](const std::filesystem::path& all) {
                     for (const char* server : {"3", "4", "5"}) {
                       std::filesystem::remove(all / (std::string("journals.") + server));
                     }
                   }),
                   ": holds less than another server's checkpoint"));
  EXPECT_TRUE(says(error([](const std::filesystem::path& all) {
                     copy_file(all / "checkpoint.4", all / "checkpoint.3",
                               std::filesystem::copy_options::overwrite_existing);
                   }),
                   "checkpoint.3: is of a cluster with other nodes, threads, coroutines, tables or "
                   "settings of nam, or of another server of it"));
  EXPECT_TRUE(
      says(error([](const std::filesystem::path& all) { resize_file(all / "checkpoint.4", 1000); }),
           "checkpoint.4: is not a whole checkpoint or journal"));
  EXPECT_TRUE(says(error([](const std::filesystem::path& all) {
                     std::fstream file(all / "journals.4",
                                       std::ios::in | std::ios::out | std::ios::binary);
                     file.seekp(100);
                     file.put('\x55');
                     file.put('\x2A');
                   }),
                   "journals.4: is damaged"));
  try {
    const OneRun other({.workload = "stress", .point = "", .restore = directory("first")});
    FAIL() << "another workload's records";
  } catch (const ConfigurationError& refused) {
    EXPECT_TRUE(says(refused.what(), "is of a cluster with other nodes")) << refused.what();
  }
}

}  // namespace
}  // namespace verbena::testing
