// Changes, findings and roll-backs of TATP's transactions.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/txn/occ/transaction_cluster.h"
#include "workloads/tatp/client.h"
#include "workloads/tatp/tatp.h"

namespace verbena::workloads::tatp {
namespace {

constexpr std::uint32_t kNodes = 2;
constexpr std::uint64_t kPerNode = 40;

txn::occ::ClusterOptions cluster_options(const Workload& workload, const std::string& plan) {
  txn::occ::ClusterOptions options;
  options.fabric.nodes = kNodes;
  options.schema = workload.schema();
  options.plan = txn::plan_preset(plan);
  options.max_records = workload.limits().records;
  return options;
}

class TatpEffects : public ::testing::TestWithParam<std::string> {
 protected:
  const Database& database() const { return tatp_.database(); }

  // How the transaction ended, run alone on node 0.
  Attempt run(TatpKind kind, const Input& input) {
    Attempt attempt = Attempt::kAborted;
    cluster_.run_on(0, [&](txn::Transaction& transaction) {
      client_.choose(kind, input);
      Random random(1);
      txn::occ::TransactionCluster::until_committed(transaction, random, [&] {
        attempt = client_.execute(transaction);
        return attempt != Attempt::kAborted;
      });
    });
    return attempt;
  }

  template <typename Record>
  const Record& stored(Table table, std::uint64_t subscriber, txn::Key key) {
    return *reinterpret_cast<const Record*>(
        cluster_.live({.table = table, .partition = database().partition(subscriber), .key = key}) +
        txn::kRecordHeaderBytes);
  }

  bool has_facility(std::uint64_t subscriber, std::uint32_t type) const {
    const txn::Key key = database().special_facility_key(subscriber, type);
    return tatp_.schema()[kSpecialFacility].initial_index(key).has_value();
  }
  bool has_forwarding(std::uint64_t subscriber, std::uint32_t type, std::uint32_t start) const {
    const txn::Key key = database().call_forwarding_key(subscriber, type, start);
    return tatp_.schema()[kCallForwarding].initial_index(key).has_value();
  }

  Tatp tatp_{kNodes, 1, {.subscribers_per_worker = kPerNode}};
  txn::occ::TransactionCluster cluster_{cluster_options(tatp_, GetParam())};
  Client client_{tatp_, Random(1)};
};

INSTANTIATE_TEST_SUITE_P(Plans, TatpEffects, ::testing::Values("drtmh", "one-sided", "fasst"));

TEST_P(TatpEffects, UpdateLocationMovesTheSubscriberWithThatNumber) {
  const std::uint64_t subscriber = kPerNode + 7;
  EXPECT_EQ(run(TatpKind::kUpdateLocation, {.subscriber = subscriber, .location = 4711}),
            Attempt::kCommitted);
  EXPECT_EQ(stored<Subscriber>(kSubscriber, subscriber, 7).vlr_location, 4711U);
}

TEST_P(TatpEffects, UpdateSubscriberDataNeedsTheFacility) {
  int updated = 0;
  for (std::uint64_t subscriber = 36; subscriber < 46; ++subscriber) {
    for (std::uint32_t type = 0; type < kTypes; ++type) {
      const Attempt attempt =
          run(TatpKind::kUpdateSubscriberData,
              {.subscriber = subscriber, .type = type, .location = 1, .data = 99});
      EXPECT_EQ(attempt,
                has_facility(subscriber, type) ? Attempt::kCommitted : Attempt::kRolledBack);
      if (attempt != Attempt::kCommitted) continue;
      ++updated;
      const txn::Key key = database().special_facility_key(subscriber, type);
      EXPECT_EQ(stored<SpecialFacility>(kSpecialFacility, subscriber, key).data_a, 99);
    }
  }
  EXPECT_EQ(updated, 25);
}

TEST_P(TatpEffects, CallForwardingsAreInsertedOnceAndDeletedOnce) {
  std::int64_t inserted = 0;
  for (std::uint64_t subscriber = 36; subscriber < 44; ++subscriber) {
    for (std::uint32_t type = 0; type < kTypes; ++type) {
      for (std::uint32_t start = 0; start < kStartTimes; ++start) {
        const Input input{.subscriber = subscriber, .type = type, .start = start};
        const bool possible =
            has_facility(subscriber, type) && !has_forwarding(subscriber, type, start);
        inserted += possible ? 1 : 0;
        EXPECT_EQ(run(TatpKind::kInsertCallForwarding, input),
                  possible ? Attempt::kCommitted : Attempt::kRolledBack);
        EXPECT_EQ(run(TatpKind::kInsertCallForwarding, input), Attempt::kRolledBack);
      }
    }
  }
  EXPECT_EQ(inserted, 30);
  EXPECT_EQ(client_.committed_change(), inserted);
  for (std::uint64_t subscriber = 36; subscriber < 44; ++subscriber) {
    for (std::uint32_t type = 0; type < kTypes; ++type) {
      const Input input{.subscriber = subscriber, .type = type, .start = 2};
      EXPECT_EQ(run(TatpKind::kDeleteCallForwarding, input),
                has_facility(subscriber, type) ? Attempt::kCommitted : Attempt::kRolledBack);
      EXPECT_EQ(run(TatpKind::kDeleteCallForwarding, input), Attempt::kRolledBack);
    }
  }
  EXPECT_EQ(client_.committed_change(), inserted - 20);
  EXPECT_EQ(cluster_.inconsistency().value_or(""), "");
}

TEST_P(TatpEffects, GetNewDestinationFindsWhatWasInserted) {
  int found = 0;
  for (std::uint64_t subscriber = kPerNode; subscriber < kPerNode + 20; ++subscriber) {
    for (std::uint32_t type = 0; type < kTypes; ++type) {
      if (!has_facility(subscriber, type)) continue;
      const txn::Key key = database().special_facility_key(subscriber, type);
      const bool active = stored<SpecialFacility>(kSpecialFacility, subscriber, key).is_active;
      run(TatpKind::kDeleteCallForwarding, {.subscriber = subscriber, .type = type, .start = 1});
      run(TatpKind::kInsertCallForwarding,
          {.subscriber = subscriber, .type = type, .start = 1, .location = 815, .data = 3});
      // It holds from 8 to 12.
      const auto ask = [&](std::uint32_t start, std::uint32_t end_time) {
        EXPECT_EQ(
            run(TatpKind::kGetNewDestination,
                {.subscriber = subscriber, .type = type, .start = start, .end_time = end_time}),
            Attempt::kCommitted);
        return client_.destination().has_value();
      };
      EXPECT_FALSE(ask(0, 11)) << "it begins later";
      EXPECT_FALSE(ask(1, 12)) << "it ends before";
      EXPECT_EQ(ask(1, 11), active);
      if (!active) continue;
      ++found;
      EXPECT_EQ(client_.destination()->end_time, 12);
      EXPECT_EQ(std::string(client_.destination()->number, 15), "000000000000815");
    }
  }
  EXPECT_GT(found, 20);
}

TEST_P(TatpEffects, LookUpsCommitWhetherOrNotThereIsSomething) {
  for (std::uint64_t subscriber = 30; subscriber < 50; ++subscriber) {
    for (std::uint32_t type = 0; type < kTypes; ++type) {
      const Input input{.subscriber = subscriber, .type = type};
      EXPECT_EQ(run(TatpKind::kGetAccessData, input), Attempt::kCommitted);
      EXPECT_EQ(run(TatpKind::kGetSubscriberData, input), Attempt::kCommitted);
    }
  }
}

}  // namespace
}  // namespace verbena::workloads::tatp
