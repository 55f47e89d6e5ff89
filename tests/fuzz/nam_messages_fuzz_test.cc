// Requests to the CPUs of NAM-DB's servers.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <vector>

#include "rdma/endpoint.h"
#include "rdma/seam/first_touch_memory.h"
#include "tests/fuzz/messages.h"
#include "tests/support/test_fabric.h"
#include "tests/txn/nam/nam_cluster.h"
#include "tests/txn/nam/one_server.h"
#include "txn/nam/durability/recovery_service.h"
#include "txn/nam/index/key_index.h"
#include "txn/nam/messages.h"
#include "txn/nam/oracle/global_counter.h"
#include "txn/nam/records/layout.h"
#include "txn/nam/records/record_bounds.h"
#include "txn/nam/records/version.h"

namespace verbena::txn::nam {
namespace {

using testing::message_of;

constexpr std::uint64_t kOwner = lock_word(1, 7);
constexpr TableId kKeys = 1;

std::vector<testing::AskedMethod> methods() {
  const KeyToClaim claimed{
      .key = 3, .entry = kAnyEntry, .partition = 0, .table = kKeys, .reserved = {}};
  KeyToClaim other = claimed;
  other.key = 5;
  const ScanRequest scan{.first = 0,
                         .last = 40,
                         .limit = 8,
                         .room = 8,
                         .partition = 0,
                         .table = kKeys,
                         .descending = false,
                         .reserved = {},
                         .holds = 3};
  const AllocateRequest allocate{
      .owner = kOwner, .wanted = 3, .partition = 0, .table = kKeys, .reserved = {}};
  const RecordToMove move{.entry = 1, .partition = 0, .table = 0, .urgent = 1, .reserved = {}};
  const ErasedRecord erased{.key = 8, .partition = 0, .table = kKeys, .reserved = {}};
  const TablePart part{.partition = 0, .table = kKeys};
  return {
      {"claim", Method::kClaim, {message_of(ClaimRequest{.owner = kOwner}, claimed, other)}},
      {"scan", Method::kScan, {message_of(scan)}},
      {"allocate", Method::kAllocate, {message_of(allocate)}},
      {"free",
       Method::kFree,
       {message_of(FreeRequest{.partition = 0, .table = kKeys, .reserved = {}})}},
      {"set back", Method::kSetBack, {message_of(erased, erased)}},
      {"move", Method::kMove, {message_of(move, move)}},
      {"describe", Method::kDescribe, {message_of(part, part)}},
      {"alter", Method::kAlter, {message_of(AlterRequest{.part = part, .generation = 1})}},
  };
}

TEST(NamMessagesFuzz, RequestsThatNoPeerSendsAreRefused) {
  testing::NamCluster cluster({.locality = true, .overflow_kib = 16, .first_buckets = 1});
  cluster.run({[&](Transaction&, rdma::Worker& worker) {
    EXPECT_TRUE(testing::handlers_survive(worker, methods()));
  }});
}

/// Memory server and oracle in one, without peers that a fence could shut out.
class LoneServer {
 public:
  LoneServer() { counter_.serve(worker()); }
  rdma::Worker& worker() { return cluster_.worker(0); }

  /// Locks some of its entries for kOwner.
  void allocate() {
    std::array<EntryRun, kMostRuns> runs;
    index_.allocate(50, kOwner, runs, worker().core());
  }
  void give_timestamps(std::uint64_t count) {
    std::memcpy(vector_->at(layout_.vector().counter().offset, sizeof count), &count, sizeof count);
  }
  void run() { cluster_.run(); }
  std::uint64_t told() const { return told_; }

 private:
  KeyIndex& index_of(PartitionId partition, TableId table) {
    check_kept(layout_, keeper_, partition, table);
    return index_;
  }
  void note_dead(const FenceRequest& told) {
    ++told_;
    EXPECT_EQ(told.dead, 0);
    EXPECT_EQ(told.by, 0);
  }

  const Deployment deployment_ =
      deployment_of({{.name = "one", .payload_bytes = 8, .insert_capacity = 100}});
  const Layout layout_{deployment_, {.oracle = Oracle::kCounter}};
  const NodeId keeper_ = deployment_.view.primary(0);
  rdma::FirstTouchMemory memory_{"records", layout_.records_bytes(keeper_),
                                 layout_.loader(keeper_)};
  KeyIndex index_{layout_, PartitionId{0}, 0, memory_, kSecond, nullptr};
  rdma::Region* vector_ = nullptr;
  const testing::FabricShape shape_{.nodes = 1};
  testing::Cluster cluster_{shape_, testing::options_for(shape_), [&](rdma::Endpoint& endpoint) {
                              vector_ = &endpoint.add_region("vector",
                                                             layout_.vector().oracle_bytes(), {});
                            }};
  CounterServer counter_{*vector_, layout_};
  const std::atomic<std::uint32_t> claims_ = 0;
  std::uint64_t told_ = 0;
  RecoveryService recovery_{worker(),
                            [this](PartitionId partition, TableId table) -> KeyIndex& {
                              return index_of(partition, table);
                            },
                            [this](const FenceRequest& told) { note_dead(told); }, claims_};
};

TEST(NamMessagesFuzz, DeathsAndTimestampsThatCannotBeAreRefused) {
  LoneServer server;
  server.give_timestamps(1000);
  const FenceRequest fence{.dead = 0, .by = 0, .reserved = {}};
  const ReleaseRequest release{
      .from = 1, .first_slot = 1, .last_slot = 7, .partition = 0, .table = 0, .reserved = {}};
  rdma::Worker& worker = server.worker();
  worker.spawn([&] {
    server.allocate();
    EXPECT_TRUE(testing::handlers_survive(
        worker, {{"fence", Method::kFence, {message_of(fence)}},
                 {"release", Method::kRelease, {message_of(release)}},
                 {"finished", Method::kFinished, {message_of(Finished{.count = 3})}}}));
  });
  server.run();
  EXPECT_GT(server.told(), 0U);
}

}  // namespace
}  // namespace verbena::txn::nam
