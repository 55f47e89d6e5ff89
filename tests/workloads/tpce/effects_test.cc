// Customer-position answers with prices that market feeds left.
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

#include "tests/txn/occ/transaction_cluster.h"
#include "tests/version_check/violation.h"
#include "workloads/tpce/client.h"
#include "workloads/tpce/tpce.h"

namespace verbena::workloads::tpce {
namespace {

constexpr std::uint32_t kNodes = 2;

txn::occ::ClusterOptions cluster_options(const Workload& workload, const std::string& plan) {
  txn::occ::ClusterOptions options;
  options.fabric.nodes = kNodes;
  options.schema = workload.schema();
  options.plan = txn::plan_preset(plan);
  options.fibers = 2;
  options.max_records = workload.limits().records;
  options.log_ring_bytes = 1 << 20;
  return options;
}

class TpceEffects : public ::testing::TestWithParam<std::string> {
 protected:
  const Database& database() const { return tpce_.database(); }

  template <typename Record>
  Record stored(Table table, txn::PartitionId partition, txn::Key key) {
    Record record;
    const std::byte* live = cluster_.live({.table = table, .partition = partition, .key = key});
    cluster_.holder(partition).layout().table(table).format.extract(
        live, reinterpret_cast<std::byte*>(&record));
    return record;
  }

  void expect_position(const Position& position) {
    const auto customer = stored<Customer>(kCustomer, 1, position.customer);
    EXPECT_EQ(position.accounts, customer.accounts);
    for (std::uint32_t i = 0; i < position.accounts; ++i) {
      const txn::Key key = Database::account_key(position.customer, i);
      const auto account = stored<Account>(kAccount, 1, key);
      EXPECT_EQ(position.balances[i], account.balance);
      std::int64_t assets = 0;
      for (std::uint32_t h = 0; h < account.holdings; ++h) {
        const auto holding =
            stored<HoldingSummary>(kHoldingSummary, 1, Database::holding_key(key, h));
        const auto trade =
            stored<LastTrade>(kLastTrade, database().partition_of_security(holding.security),
                              database().last_trade_key(holding.security));
        assets += holding.quantity * trade.price;
        partitions_.insert(database().partition_of_security(holding.security));
      }
      EXPECT_EQ(position.assets[i], assets);
      EXPECT_GT(assets, 0);
    }
  }

  Tpce tpce_{kNodes, {.customers_per_node = 1'000, .market_feed_percent = 50}};
  txn::occ::TransactionCluster cluster_{cluster_options(tpce_, GetParam())};
  std::set<txn::PartitionId> partitions_;  // of securities that were looked at
};

INSTANTIATE_TEST_SUITE_P(Plans, TpceEffects, ::testing::Values("drtmh", "one-sided", "fasst"));

TEST_P(TpceEffects, PositionsAreWorthWhatTheLastTradesSay) {
  int positions = 0;
  int with_history = 0;
  cluster_.run_on(1, [&](txn::Transaction& transaction) {
    Client client(tpce_, 1, Random(7));
    Random random(8);
    while (positions < 100) {
      const auto kind = static_cast<TpceKind>(client.next());
      txn::occ::TransactionCluster::until_committed(
          transaction, random, [&] { return client.execute(transaction) == Attempt::kCommitted; });
      transaction.wait(10 * kMicrosecond);  // until what it wrote has arrived
      if (kind != TpceKind::kCustomerPosition) continue;
      ++positions;
      expect_position(client.position());
      const std::uint32_t history = client.position().history;
      EXPECT_TRUE(history == 0 || (history >= 20 && history <= 30)) << history;
      with_history += history > 0 ? 1 : 0;
    }
  });
  EXPECT_EQ(partitions_.size(), kNodes);
  EXPECT_NEAR(with_history, 50, 20);
}

TEST_P(TpceEffects, VolumesAreThoseOfTheFeeds) {
  std::int64_t change = 0;
  cluster_.run([&](txn::Transaction& transaction, const txn::occ::Place& place) {
    Client client(tpce_, place.home(), Random(9, place.node, 0, place.fiber));
    Random random(10, place.node, 0, place.fiber);
    for (int i = 0; i < 50; ++i) {
      client.next();
      txn::occ::TransactionCluster::until_committed(
          transaction, random, [&] { return client.execute(transaction) == Attempt::kCommitted; });
    }
    change += client.committed_change();
  });
  std::int64_t volume = 0;
  for (std::uint32_t security = 0; security < database().securities(); ++security) {
    const auto trade = stored<LastTrade>(kLastTrade, database().partition_of_security(security),
                                         database().last_trade_key(security));
    volume += trade.volume;
    EXPECT_GT(trade.price, 0);
  }
  EXPECT_EQ(volume, change);
  EXPECT_GT(volume, 0);
  EXPECT_EQ(cluster_.inconsistency().value_or(""), "");
  EXPECT_EQ(txn::violation_text(txn::strict_serializability_violation(cluster_.history())), "");
}

}  // namespace
}  // namespace verbena::workloads::tpce
