// The check after a run notices whatever is tampered with.
#include "workloads/run/audit.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "rdma/seam/in_memory_rendezvous.h"
#include "txn/store/lock_word.h"
#include "txn/store/store_at_rest.h"
#include "workloads/smallbank/smallbank.h"

namespace verbena::workloads {
namespace {

constexpr std::uint32_t kNodes = 3;
constexpr std::uint32_t kReplicas = 2;

// The stores of a cluster at rest, without a fabric.
class RestingCluster {
 public:
  RestingCluster() {
    for (NodeId node = 0; node < kNodes; ++node) {
      memories_.push_back(std::make_unique<rdma::FirstTouchMemory>(
          "store", layout_.region_bytes(), layout_.loader(bank_.schema(), node)));
      stores_.push_back(std::make_unique<txn::Store>(layout_, node, *memories_.back()));
    }
  }

  std::byte* record(NodeId node, txn::CopyId copy, txn::TableId table, std::uint32_t entry) {
    return stores_[node]->record(copy, table, entry);
  }

  // Does what a committed transaction does to all copies of a record.
  void commit(txn::PartitionId partition, txn::TableId table, std::uint32_t entry,
              std::int64_t change) {
    for (txn::CopyId copy = 0; copy < kReplicas; ++copy) {
      commit_copy(partition, copy, table, entry, change);
    }
    committed_change_ += change;
  }
  void commit_copy(txn::PartitionId partition, txn::CopyId copy, txn::TableId table,
                   std::uint32_t entry, std::int64_t change) {
    std::byte* live = record(layout_.placement().holder(partition, copy), copy, table, entry);
    const auto cents = static_cast<std::int64_t>(txn::load_word(live + txn::kRecordHeaderBytes));
    txn::store_word(live + txn::kRecordHeaderBytes, static_cast<std::uint64_t>(cents + change));
    txn::store_word(live + txn::kVersionOffset, txn::load_word(live + txn::kVersionOffset) + 1);
  }

  Verification audit() {
    const auto view = txn::View::ring({.nodes = kNodes, .replicas = kReplicas});
    std::vector<NodeAudit> audits;
    for (NodeId node = 0; node < kNodes; ++node) {
      txn::StoreAtRest state(*stores_[node], bank_.schema());
      audits.push_back(
          audit_node(state, state, view, node, bank_, node == 0 ? committed_change_ : 0));
    }
    rdma::InMemoryRendezvous rendezvous;
    return compare_audits(rendezvous, "audit", view, {0, 1, 2}, audits, {}, kSecond);
  }

 private:
  SmallBank bank_{kNodes, 1, {.accounts_per_worker = 5000}};
  txn::StoreLayout layout_{bank_.schema(), {.nodes = kNodes, .replicas = kReplicas}};
  std::vector<std::unique_ptr<rdma::FirstTouchMemory>> memories_;
  std::vector<std::unique_ptr<txn::Store>> stores_;
  std::int64_t committed_change_ = 0;
};

void expect_error(const Verification& verification, const std::string& part) {
  ASSERT_EQ(verification.errors.size(), 1U);
  EXPECT_NE(verification.errors[0].find(part), std::string::npos) << verification.errors[0];
}

TEST(Audit, AnUntouchedClusterIsInOrderAndCostsNothing) {
  RestingCluster cluster;
  const Verification verification = cluster.audit();
  EXPECT_TRUE(verification.ok());
  EXPECT_EQ(verification.records_checked, 0U);
}

TEST(Audit, CommittedChangesAreInOrder) {
  RestingCluster cluster;
  cluster.commit(0, SmallBank::kSavings, 17, 500);
  cluster.commit(0, SmallBank::kSavings, 17, 500);
  cluster.commit(2, SmallBank::kChecking, 4999, -300);
  const Verification verification = cluster.audit();
  EXPECT_TRUE(verification.ok()) << verification.errors[0];
  EXPECT_EQ(verification.committed_change, 700);
  EXPECT_EQ(verification.final_total - verification.initial_total, 700);
}

TEST(Audit, ReadingABackupsPageChangesNothing) {
  RestingCluster cluster;
  cluster.commit(0, SmallBank::kSavings, 17, 500);
  cluster.record(1, 1, SmallBank::kSavings, 3000);
  cluster.record(2, 0, SmallBank::kChecking, 1);
  EXPECT_TRUE(cluster.audit().ok());
}

TEST(Audit, NoticesMoneyFromNowhere) {
  RestingCluster cluster;
  for (txn::CopyId copy = 0; copy < kReplicas; ++copy) {
    cluster.commit_copy(1, copy, SmallBank::kSavings, 17, 1);
  }
  expect_error(cluster.audit(), "total changed by 1, but committed transactions changed it by 0");
}

TEST(Audit, NoticesALockThatWasNotReleased) {
  RestingCluster cluster;
  txn::store_word(cluster.record(1, 0, SmallBank::kChecking, 8), txn::LockOwner{}.word());
  expect_error(cluster.audit(), "node 1, partition 1 (primary), table checking, entry 8 is locked");
}

TEST(Audit, NoticesABackupThatDiverged) {
  RestingCluster cluster;
  cluster.commit(1, SmallBank::kSavings, 17, 100);
  std::byte* backup = cluster.record(2, 1, SmallBank::kSavings, 17);
  txn::store_word(backup + txn::kRecordHeaderBytes, 5);
  expect_error(cluster.audit(), "node 2: its backup of partition 1 differs");
}

TEST(Audit, NoticesABackupThatMissedAnUpdate) {
  RestingCluster cluster;
  cluster.commit(1, SmallBank::kSavings, 17, 0);
  cluster.commit_copy(1, 0, SmallBank::kSavings, 17, 0);
  expect_error(cluster.audit(), "node 2: its backup of partition 1 differs");
}

TEST(Audit, NoticesContentThatChangedWithoutANewVersion) {
  RestingCluster cluster;
  std::byte* record = cluster.record(0, 1, SmallBank::kChecking, 9);
  txn::store_word(record + txn::kRecordHeaderBytes, 5);
  expect_error(cluster.audit(),
               "node 0, partition 2 (backup), table checking, entry 9 differs from its initial");
}

// Audits nodes without records: the first keeps a vector, the others tell of commits.
Verification audit_commits(std::vector<txn::SelfCheck::Commit> first,
                           std::vector<txn::SelfCheck::Commit> second) {
  std::vector<NodeAudit> audits(kNodes);
  audits[0].published = {0, 7, 3};
  audits[1].check.commits = std::move(first);
  audits[2].check.commits = std::move(second);
  rdma::InMemoryRendezvous rendezvous;
  return compare_audits(rendezvous, "audit", txn::View::ring({.nodes = kNodes, .replicas = 1}),
                        {0, 1, 2}, audits, {}, kSecond);
}

TEST(Audit, CommitsThatArePublishedAreInOrder) {
  EXPECT_TRUE(audit_commits({{.slot = 1, .count = 2}, {.slot = 1, .count = 7, .last = true}},
                            {{.slot = 2, .count = 3, .last = true}})
                  .ok());
}

TEST(Audit, NoticesARecordOfACommitThatIsNotPublished) {
  expect_error(audit_commits({{.slot = 1, .count = 8}}, {}),
               "node 1: a record is of commit 8 of slot 1, of which 7 are published");
}

TEST(Audit, NoticesAJournalThatEndsElsewhere) {
  expect_error(audit_commits({{.slot = 1, .count = 7, .last = true}},
                             {{.slot = 2, .count = 2, .last = true}}),
               "node 2: a journal ends with commit 2 of slot 2, of which 3 are published");
  expect_error(audit_commits({{.slot = 9, .count = 1, .last = true}}, {}),
               "node 1: a journal ends with commit 1 of slot 9, of which 0 are published");
}

}  // namespace
}  // namespace verbena::workloads
